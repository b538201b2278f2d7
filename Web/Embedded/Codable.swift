// Codable: a replacement for the standard library's protocol, which Embedded Swift does not have.
// It is compiled into each module, so that the declarations of the module need no condition.

/// A protocol without requirements.
protocol Codable {}
