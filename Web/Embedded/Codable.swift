// Codable: a replacement for the standard library's protocol, which Embedded Swift lacks. It is
// compiled into each module, so that the module needs no conditional declarations.

/// A protocol without requirements.
protocol Codable {}
