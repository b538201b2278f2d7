// MessageType: the type byte of a frame, whose high nibble is the class (SPEC 4).

import CBridgeProtocol

/// The type of a message, which is the first byte of a body (SPEC 4).
public struct MessageType: WireCode {
    /// The type byte as it is transmitted, even if this version does not define the type.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// HELLO, which the host sends to propose a session (SPEC 4.2).
    public static let hello = MessageType(BRIDGE_HELLO)
    /// WELCOME, the device's answer to HELLO (SPEC 4.2).
    public static let welcome = MessageType(BRIDGE_WELCOME)
    /// NO_SESSION, which reports that the device has no session (SPEC 4.2).
    public static let noSession = MessageType(BRIDGE_NO_SESSION)

    /// STOP, which immediately brings all actuators to rest (SPEC 4.3).
    public static let stop = MessageType(BRIDGE_STOP)
    /// MUTE, which mutes or unmutes actuators (SPEC 4.3).
    public static let mute = MessageType(BRIDGE_MUTE)
    /// STOPPED, the answer to STOP (SPEC 4.3).
    public static let stopped = MessageType(BRIDGE_STOPPED)
    /// MUTED, the answer to MUTE (SPEC 4.3).
    public static let muted = MessageType(BRIDGE_MUTED)

    /// ACK, which acknowledges sequenced messages and grants credit (SPEC 4.4).
    public static let acknowledge = MessageType(BRIDGE_ACK)
    /// REJECT, which reports that a message was not carried out (SPEC 4.4).
    public static let reject = MessageType(BRIDGE_REJECT)
    /// OPEN, which assigns actuators and event memory to a stream (SPEC 4.4).
    public static let open = MessageType(BRIDGE_OPEN)
    /// CLOSE, which closes a stream and brings its actuators to rest (SPEC 4.4).
    public static let close = MessageType(BRIDGE_CLOSE)
    /// START, which assigns a device time to tick 0 of a stream (SPEC 4.4).
    public static let start = MessageType(BRIDGE_START)
    /// SCALE, which changes the length of a tick (SPEC 4.4).
    public static let scale = MessageType(BRIDGE_SCALE)
    /// EVENTS, which contains event bytes of a stream (SPEC 4.4).
    public static let events = MessageType(BRIDGE_EVENTS)
    /// REVISE, which replaces the playing segment with a new one (SPEC 4.4).
    public static let revise = MessageType(BRIDGE_REVISE)
    /// GAIN, which sets the gain of actuators (SPEC 4.4).
    public static let gain = MessageType(BRIDGE_GAIN)
    /// CLEAR_FAULTS, which clears latched faults (SPEC 4.4).
    public static let clearFaults = MessageType(BRIDGE_CLEAR_FAULTS)
    /// CONFIGURE, which sets the configuration of an actuator (SPEC 4.4).
    public static let configure = MessageType(BRIDGE_CONFIGURE)
    /// CALIBRATE, which starts a calibration of an actuator (SPEC 4.4).
    public static let calibrate = MessageType(BRIDGE_CALIBRATE)
    /// DIAGNOSE, which starts a diagnosis of an actuator (SPEC 4.4).
    public static let diagnose = MessageType(BRIDGE_DIAGNOSE)
    /// SAVE, which stores the current configuration of an actuator (SPEC 8.5).
    public static let save = MessageType(BRIDGE_SAVE)
    /// ENTER_BOOTLOADER, which starts the boot loader of the device (SPEC 4.4).
    public static let enterBootloader = MessageType(BRIDGE_ENTER_BOOTLOADER)
    /// LOCK, which locks the limits of an actuator's current configuration (SPEC 8.6).
    public static let lock = MessageType(BRIDGE_LOCK)
    /// RECORD, which starts or ends a recording from the accelerometer (SPEC 4.4).
    public static let record = MessageType(BRIDGE_RECORD)
    /// SAMPLES, which contains samples of a recording (SPEC 4.4).
    public static let samples = MessageType(BRIDGE_SAMPLES)

    /// CLOCK, which queries the time of the device (SPEC 4.5).
    public static let clock = MessageType(BRIDGE_CLOCK)
    /// GET_STATUS, which queries the state of the device (SPEC 4.5).
    public static let getStatus = MessageType(BRIDGE_GET_STATUS)
    /// GET_STREAM, which queries the state of a stream (SPEC 4.5).
    public static let getStream = MessageType(BRIDGE_GET_STREAM)
    /// GET_ACTUATOR, which queries the state of an actuator (SPEC 4.5).
    public static let getActuator = MessageType(BRIDGE_GET_ACTUATOR)
    /// GET_CONFIGURATION, which queries the configuration of an actuator (SPEC 4.5).
    public static let getConfiguration = MessageType(BRIDGE_GET_CONFIGURATION)
    /// GET_FIRMWARE, which queries a block of the firmware's image (SPEC 4.5).
    public static let getFirmware = MessageType(BRIDGE_GET_FIRMWARE)
    /// PROBE, which queries whether a chip on the I2C bus acknowledges an address (SPEC 4.5).
    public static let probe = MessageType(BRIDGE_PROBE)
    /// GET_SENSOR, which queries the accelerometer (SPEC 4.5).
    public static let getSensor = MessageType(BRIDGE_GET_SENSOR)
    /// CLOCK_REPLY, the answer to CLOCK (SPEC 4.5).
    public static let clockReply = MessageType(BRIDGE_CLOCK_REPLY)
    /// STATUS, the state of the device (SPEC 4.5).
    public static let status = MessageType(BRIDGE_STATUS)
    /// STREAM, the state of a stream (SPEC 4.5).
    public static let stream = MessageType(BRIDGE_STREAM)
    /// ACTUATOR, the properties and the state of an actuator (SPEC 4.5).
    public static let actuator = MessageType(BRIDGE_ACTUATOR)
    /// CONFIGURATION, the configuration of an actuator (SPEC 4.5).
    public static let configuration = MessageType(BRIDGE_CONFIGURATION)
    /// FIRMWARE, a block of the firmware's image (SPEC 4.5).
    public static let firmware = MessageType(BRIDGE_FIRMWARE)
    /// PROBED, the result of PROBE (SPEC 4.5).
    public static let probed = MessageType(BRIDGE_PROBED)
    /// SENSOR_STATE, the kind of the accelerometer and the state of its recording (SPEC 4.5).
    public static let sensorState = MessageType(BRIDGE_SENSOR_STATE)

    /// True if the CRC of this message is seeded with session 0 (SPEC 2.1).
    public var isConnect: Bool { messageClass == UInt8(BRIDGE_CLASS_CONNECT) }
    /// True if the device carries out the message as soon as it arrives (SPEC 4.3).
    public var isUrgent: Bool { messageClass == UInt8(BRIDGE_CLASS_URGENT) }
    /// True if the sequence byte of the message is a tag (SPEC 4.5).
    public var isQuery: Bool { messageClass == UInt8(BRIDGE_CLASS_QUERY) }
    /// True if the message has a sequence number (SPEC 4.4).
    public var isSequenced: Bool { messageClass == UInt8(BRIDGE_CLASS_SEQUENCED) }

    private var messageClass: UInt8 { rawValue & UInt8(BRIDGE_CLASS_MASK) }

    /// The names of the types that this version defines.
    public static let names: [MessageType: String] = [
        .hello: "HELLO", .welcome: "WELCOME", .noSession: "NO_SESSION",
        .stop: "STOP", .mute: "MUTE", .stopped: "STOPPED", .muted: "MUTED",
        .acknowledge: "ACK", .reject: "REJECT",
        .open: "OPEN", .close: "CLOSE", .start: "START", .scale: "SCALE", .events: "EVENTS",
        .revise: "REVISE", .gain: "GAIN", .clearFaults: "CLEAR_FAULTS",
        .configure: "CONFIGURE", .calibrate: "CALIBRATE", .diagnose: "DIAGNOSE", .save: "SAVE",
        .enterBootloader: "ENTER_BOOTLOADER", .lock: "LOCK", .record: "RECORD",
        .samples: "SAMPLES",
        .clock: "CLOCK", .getStatus: "GET_STATUS", .getStream: "GET_STREAM",
        .getActuator: "GET_ACTUATOR", .getConfiguration: "GET_CONFIGURATION",
        .getFirmware: "GET_FIRMWARE", .probe: "PROBE", .getSensor: "GET_SENSOR",
        .clockReply: "CLOCK_REPLY", .status: "STATUS", .stream: "STREAM",
        .actuator: "ACTUATOR", .configuration: "CONFIGURATION",
        .firmware: "FIRMWARE", .probed: "PROBED", .sensorState: "SENSOR_STATE",
    ]
}
