// Converts a configuration to and from the bytes that a board stores (SPEC 8).

extension ActuatorConfiguration {
    /// The 56 bytes of SPEC 8, as they are transmitted and as a board stores them.
    public var bytes: [UInt8] { payload }

    /// Creates the configuration from what `bytes` returned; what an older version left out at the
    /// end is 0. Throws `MessageError.tooShort` for fewer than 48 bytes.
    public init(bytes: [UInt8]) throws(MessageError) {
        try self.init(bytes)
    }
}
