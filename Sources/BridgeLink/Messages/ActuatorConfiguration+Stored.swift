// Converts a configuration to and from the bytes that a board stores (SPEC 8).

extension ActuatorConfiguration {
    /// The 56 bytes of SPEC 8, which are transmitted and stored by a board.
    public var bytes: [UInt8] { payload }

    /// Creates the configuration from stored bytes. Fields at the end that an older version omitted
    /// are 0. Throws `MessageError.tooShort` for fewer than 48 bytes.
    public init(bytes: [UInt8]) throws(MessageError) {
        try self.init(bytes)
    }
}
