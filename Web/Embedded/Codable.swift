// Codable: a replacement for the standard library's protocol, which Embedded Swift lacks. The
// replacement is compiled into each module, so that the modules need no conditional declarations.

/// A protocol without requirements.
protocol Codable {}
