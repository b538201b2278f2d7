// Converts configurations to and from the bytes that a board stores (SPEC 8).

extension ActuatorConfiguration {
    /// The 56 bytes of SPEC 8, which messages contain and boards store.
    public var bytes: [UInt8] { payload }

    /// Creates the configuration from stored bytes. Trailing fields that an older version omitted
    /// are set to 0. Throws `MessageError.tooShort` if there are fewer than 48 bytes.
    public init(bytes: [UInt8]) throws(MessageError) {
        try self.init(bytes)
    }
}
