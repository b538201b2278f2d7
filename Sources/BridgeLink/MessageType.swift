// The type byte of a frame and the class in its high nibble (SPEC 4).

import CBridgeProtocol

/// The first byte of a body: which message it is (SPEC 4).
public struct MessageType: WireCode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let hello = MessageType(BRIDGE_HELLO)
    public static let welcome = MessageType(BRIDGE_WELCOME)
    public static let noSession = MessageType(BRIDGE_NO_SESSION)

    public static let stop = MessageType(BRIDGE_STOP)
    public static let mute = MessageType(BRIDGE_MUTE)
    public static let stopped = MessageType(BRIDGE_STOPPED)
    public static let muted = MessageType(BRIDGE_MUTED)

    public static let acknowledge = MessageType(BRIDGE_ACK)
    public static let reject = MessageType(BRIDGE_REJECT)
    public static let open = MessageType(BRIDGE_OPEN)
    public static let close = MessageType(BRIDGE_CLOSE)
    public static let start = MessageType(BRIDGE_START)
    public static let scale = MessageType(BRIDGE_SCALE)
    public static let events = MessageType(BRIDGE_EVENTS)
    public static let revise = MessageType(BRIDGE_REVISE)
    public static let gain = MessageType(BRIDGE_GAIN)
    public static let clearFaults = MessageType(BRIDGE_CLEAR_FAULTS)
    public static let configure = MessageType(BRIDGE_CONFIGURE)
    public static let calibrate = MessageType(BRIDGE_CALIBRATE)
    public static let diagnose = MessageType(BRIDGE_DIAGNOSE)
    public static let save = MessageType(BRIDGE_SAVE)
    public static let enterBootloader = MessageType(BRIDGE_ENTER_BOOTLOADER)
    public static let lock = MessageType(BRIDGE_LOCK)

    public static let clock = MessageType(BRIDGE_CLOCK)
    public static let getStatus = MessageType(BRIDGE_GET_STATUS)
    public static let getStream = MessageType(BRIDGE_GET_STREAM)
    public static let getActuator = MessageType(BRIDGE_GET_ACTUATOR)
    public static let getConfiguration = MessageType(BRIDGE_GET_CONFIGURATION)
    public static let clockReply = MessageType(BRIDGE_CLOCK_REPLY)
    public static let status = MessageType(BRIDGE_STATUS)
    public static let stream = MessageType(BRIDGE_STREAM)
    public static let actuator = MessageType(BRIDGE_ACTUATOR)
    public static let configuration = MessageType(BRIDGE_CONFIGURATION)

    /// Whether the CRC of this message is seeded with session 0 (SPEC 2.1).
    public var isConnect: Bool { messageClass == UInt8(BRIDGE_CLASS_CONNECT) }
    /// Whether the device acts on it at reception (SPEC 4.3).
    public var isUrgent: Bool { messageClass == UInt8(BRIDGE_CLASS_URGENT) }
    /// Whether its sequence byte is a tag (SPEC 4.5).
    public var isQuery: Bool { messageClass == UInt8(BRIDGE_CLASS_QUERY) }
    /// Whether it takes a place in the sequence (SPEC 4.4).
    public var isSequenced: Bool { messageClass == UInt8(BRIDGE_CLASS_SEQUENCED) }

    private var messageClass: UInt8 { rawValue & UInt8(BRIDGE_CLASS_MASK) }

    public static let names: [MessageType: String] = [
        .hello: "HELLO", .welcome: "WELCOME", .noSession: "NO_SESSION",
        .stop: "STOP", .mute: "MUTE", .stopped: "STOPPED", .muted: "MUTED",
        .acknowledge: "ACK", .reject: "REJECT",
        .open: "OPEN", .close: "CLOSE", .start: "START", .scale: "SCALE", .events: "EVENTS",
        .revise: "REVISE", .gain: "GAIN", .clearFaults: "CLEAR_FAULTS",
        .configure: "CONFIGURE", .calibrate: "CALIBRATE", .diagnose: "DIAGNOSE", .save: "SAVE",
        .enterBootloader: "ENTER_BOOTLOADER", .lock: "LOCK",
        .clock: "CLOCK", .getStatus: "GET_STATUS", .getStream: "GET_STREAM",
        .getActuator: "GET_ACTUATOR", .getConfiguration: "GET_CONFIGURATION",
        .clockReply: "CLOCK_REPLY", .status: "STATUS", .stream: "STREAM",
        .actuator: "ACTUATOR", .configuration: "CONFIGURATION",
    ]
}
