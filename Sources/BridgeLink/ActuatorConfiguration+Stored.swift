// A configuration as a board stores it: the bytes of SPEC 8.

extension ActuatorConfiguration {
    /// The 48 bytes of SPEC 8, as they travel and as a board stores them.
    public var bytes: [UInt8] { payload }

    /// Reads what `bytes` wrote. Throws `MessageError.tooShort` for fewer than 48 bytes.
    public init(bytes: [UInt8]) throws(MessageError) {
        try self.init(bytes)
    }
}
