// Codable: a protocol in the place of the standard library's, which Embedded Swift does not have.
// It is compiled into each module, so that the declarations of the module need no condition.

/// A protocol without requirements.
protocol Codable {}
