// WireCode: a one-byte code as it is transmitted. Unknown values are preserved, and known values
// have names.

/// A one-byte code of the protocol. A value that has no name is preserved instead of being rejected
/// (SPEC 4.1).
public protocol WireCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue == UInt8 {
    init(rawValue: UInt8)
    /// The descriptions of the codes that this version defines.
    static var names: [Self: String] { get }
}

extension WireCode {
    /// The name of the code, or its number in hexadecimal.
    public var description: String {
        Self.names[self] ?? "0x" + String(rawValue, radix: 16)
    }

    /// True if this version defines the code.
    public var isKnown: Bool { Self.names[self] != nil }

    /// Creates the code with the value of an enumeration constant of `bridge_protocol.h`.
    init<Constant: RawRepresentable>(_ constant: Constant) where Constant.RawValue == UInt32 {
        self.init(rawValue: UInt8(constant.rawValue))
    }
}
