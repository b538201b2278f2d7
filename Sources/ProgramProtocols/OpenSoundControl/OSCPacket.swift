// OSCPacket: the messages of Open Sound Control, versions 1.0 and 1.1.

/// The content of a datagram: a message or a bundle.
public indirect enum OSCPacket: Sendable, Equatable {
    /// A single message.
    case message(OSCMessage)
    /// Messages and bundles that all take effect at the same time.
    case bundle(OSCTimeTag, [OSCPacket])
}

/// A message, which consists of an address (or an address pattern) and arguments.
public struct OSCMessage: Sendable, Equatable {
    /// The address, or the pattern that matches addresses.
    public var address: String
    /// The arguments in order.
    public var arguments: [OSCArgument]

    /// Creates a message.
    public init(_ address: String, _ arguments: [OSCArgument] = []) {
        self.address = address
        self.arguments = arguments
    }
}

/// An argument, of a type that OSC 1.0 or 1.1 defines.
public enum OSCArgument: Sendable, Equatable {
    case int32(Int32)
    case float(Float)
    case string(String)
    case blob([UInt8])
    case int64(Int64)
    case double(Double)
    case timeTag(OSCTimeTag)
    case character(Unicode.Scalar)
    /// Red, green, blue and alpha.
    case color(UInt32)
    /// The port, the status byte and two bytes of data.
    case midi(UInt32)
    case bool(Bool)
    case null
    /// The value of type I, which is called "infinitum" in OSC 1.0 and "impulse" in OSC 1.1.
    case impulse
    case array([OSCArgument])

    /// The argument as a number: true and an impulse are 1, and false is 0. Nil if the argument is
    /// of another type or is not a finite number.
    public var number: Double? {
        let value: Double? =
            switch self {
            case .int32(let value): Double(value)
            case .int64(let value): Double(value)
            case .float(let value): Double(value)
            case .double(let value): value
            case .bool(let value): value ? 1 : 0
            case .impulse: 1
            default: nil
            }
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The argument as text; nil if the argument is not a string.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

/// A time in the format of the Network Time Protocol.
public struct OSCTimeTag: Sendable, Hashable {
    /// The seconds since 1900 in the upper 32 bits, and the fraction of a second in the lower 32
    /// bits.
    public var value: UInt64

    /// Creates a time tag from its 64-bit value.
    public init(_ value: UInt64) { self.value = value }

    /// The time tag that means "immediately".
    public static let immediately = OSCTimeTag(1)

    /// The number of seconds from 1900 to 1970.
    private static let epoch = 2_208_988_800.0
    private static let unit = 4_294_967_296.0

    /// The time in seconds since 1970, with an accuracy of 1 µs or better.
    public var unixTime: Double {
        Double(value >> 32) - Self.epoch + Double(value & 0xFFFF_FFFF) / Self.unit
    }

    /// Creates a time tag from a Unix time (seconds since 1970). The time must lie between the
    /// years 1900 and 2036.
    public init(unixTime: Double) {
        let seconds = unixTime.rounded(.down)
        let fraction = min(((unixTime - seconds) * Self.unit).rounded(), Self.unit - 1)
        value = UInt64(seconds + Self.epoch) << 32 | UInt64(fraction)
    }
}
