// The codes in payloads: reasons, states and kinds, with the values defined in bridge_protocol.h.

import CBridgeProtocol

/// The reason why the device did not carry out a message (SPEC 4.4).
public struct RejectCode: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The message was not rejected.
    public static let none = RejectCode(BRIDGE_REJECT_NONE)
    /// The device does not know the type of the message.
    public static let unknownMessage = RejectCode(BRIDGE_REJECT_UNKNOWN_MESSAGE)
    /// The payload is too short.
    public static let length = RejectCode(BRIDGE_REJECT_LENGTH)
    /// A value is out of its range.
    public static let range = RejectCode(BRIDGE_REJECT_RANGE)
    /// The stream does not exist or is not open.
    public static let noStream = RejectCode(BRIDGE_REJECT_NO_STREAM)
    /// The actuator does not exist.
    public static let noActuator = RejectCode(BRIDGE_REJECT_NO_ACTUATOR)
    /// The stream or the actuator is in use.
    public static let inUse = RejectCode(BRIDGE_REJECT_IN_USE)
    /// There is not enough event memory.
    public static let memory = RejectCode(BRIDGE_REJECT_MEMORY)
    /// The actuator has no configuration.
    public static let unconfigured = RejectCode(BRIDGE_REJECT_UNCONFIGURED)
    /// The actuator is not at rest.
    public static let notAtRest = RejectCode(BRIDGE_REJECT_NOT_AT_REST)
    /// The device does not support the message.
    public static let unsupported = RejectCode(BRIDGE_REJECT_UNSUPPORTED)
    /// A REVISE with an earlier time is pending (SPEC 6.7).
    public static let pending = RejectCode(BRIDGE_REJECT_PENDING)
    /// The message contains more event bytes than the device has granted as credit.
    public static let credit = RejectCode(BRIDGE_REJECT_CREDIT)
    /// The time is too far from the current time.
    public static let time = RejectCode(BRIDGE_REJECT_TIME)
    /// The actuator is in the state FAULT.
    public static let fault = RejectCode(BRIDGE_REJECT_FAULT)
    /// The value exceeds a safety limit (SPEC 8.3).
    public static let limit = RejectCode(BRIDGE_REJECT_LIMIT)
    /// The energy budget of the actuator is exhausted (SPEC 8.2).
    public static let budget = RejectCode(BRIDGE_REJECT_BUDGET)
    /// The actuator is muted.
    public static let muted = RejectCode(BRIDGE_REJECT_MUTED)

    /// The descriptions of the codes that this version defines.
    public static let names: [RejectCode: String] = [
        .none: "no reject", .unknownMessage: "unknown message", .length: "payload too short",
        .range: "value out of range", .noStream: "no such stream",
        .noActuator: "no such actuator", .inUse: "in use", .memory: "not enough event memory",
        .unconfigured: "actuator not configured", .notAtRest: "actuator not at rest",
        .unsupported: "not supported by this device", .pending: "a revision is pending",
        .credit: "more event bytes than credited", .time: "time too far from now",
        .fault: "actuator in fault", .limit: "beyond a safety limit",
        .budget: "the actuator's energy budget is used up", .muted: "the actuator is muted",
    ]
}

/// The reason for the last start of the device (SPEC 4.2).
public struct ResetCause: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The cause is unknown because the boot loader has cleared the information. The cause was
    /// either the reset pin, or the watchdog while interrupts were disabled.
    public static let unknown = ResetCause(BRIDGE_RESET_UNKNOWN)
    /// The device was powered on.
    public static let power = ResetCause(BRIDGE_RESET_POWER)
    /// An external signal reset the device.
    public static let external = ResetCause(BRIDGE_RESET_EXTERNAL)
    /// The watchdog reset the device.
    public static let watchdog = ResetCause(BRIDGE_RESET_WATCHDOG)
    /// The supply voltage dropped too low.
    public static let brownOut = ResetCause(BRIDGE_RESET_BROWN_OUT)

    /// The descriptions of the codes that this version defines.
    public static let names: [ResetCause: String] = [
        .unknown: "reset pin or watchdog", .power: "power-on", .external: "external reset",
        .watchdog: "watchdog", .brownOut: "brown-out",
    ]
}

/// The state of a stream (SPEC 6).
public struct StreamState: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The stream has no actuators. OPEN assigns actuators to the stream.
    public static let closed = StreamState(BRIDGE_STREAM_CLOSED)
    /// The stream has its actuators and event memory, and is waiting for START.
    public static let open = StreamState(BRIDGE_STREAM_OPEN)
    /// The stream has been started and executes its events.
    public static let playing = StreamState(BRIDGE_STREAM_PLAYING)
    /// The stream has run out of events before END and is waiting for more events (SPEC 6.4).
    public static let dry = StreamState(BRIDGE_STREAM_DRY)
    /// The stream has executed END.
    public static let ended = StreamState(BRIDGE_STREAM_ENDED)

    /// The descriptions of the codes that this version defines.
    public static let names: [StreamState: String] = [
        .closed: "closed", .open: "open", .playing: "playing", .dry: "dry", .ended: "ended",
    ]
}

/// The state of an actuator (SPEC 8).
public struct ActuatorState: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The chip is being reset and identified, and its image is being written.
    public static let starting = ActuatorState(BRIDGE_ACTUATOR_STARTING)
    /// The actuator has no configuration and is never driven.
    public static let unconfigured = ActuatorState(BRIDGE_ACTUATOR_UNCONFIGURED)
    /// The level is 0 and the chip is in standby.
    public static let atRest = ActuatorState(BRIDGE_ACTUATOR_AT_REST)
    /// The chip is in real-time playback mode, in which it can be driven.
    public static let awake = ActuatorState(BRIDGE_ACTUATOR_AWAKE)
    /// The level is 0, and the actuator brakes before standby.
    public static let comingToRest = ActuatorState(BRIDGE_ACTUATOR_COMING_TO_REST)
    /// A calibration or a diagnosis is running, for at most 2 s.
    public static let calibrating = ActuatorState(BRIDGE_ACTUATOR_CALIBRATING)
    /// The actuator has failed, and the EN pin of its chip is low.
    public static let fault = ActuatorState(BRIDGE_ACTUATOR_FAULT)

    /// The descriptions of the codes that this version defines.
    public static let names: [ActuatorState: String] = [
        .starting: "starting", .unconfigured: "unconfigured", .atRest: "at rest",
        .awake: "awake", .comingToRest: "coming to rest", .calibrating: "calibrating",
        .fault: "fault",
    ]
}

/// The kind of an actuator (SPEC 8).
public struct ActuatorKind: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No kind of actuator is configured.
    public static let none = ActuatorKind(BRIDGE_KIND_NONE)
    /// A linear resonant actuator.
    public static let lra = ActuatorKind(BRIDGE_KIND_LRA)
    /// An actuator with an eccentric rotating mass.
    public static let erm = ActuatorKind(BRIDGE_KIND_ERM)
    /// A linear actuator whose frequency follows the sharpness (SPEC 8.9).
    public static let wideBand = ActuatorKind(BRIDGE_KIND_WIDE_BAND)

    /// The descriptions of the codes that this version defines.
    public static let names: [ActuatorKind: String] = [
        .none: "none", .lra: "LRA", .erm: "ERM", .wideBand: "wide-band",
    ]
}

/// The result of a calibration or a diagnosis (SPEC 8).
public struct CalibrationResult: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No calibration or diagnosis has been run.
    public static let none = CalibrationResult(BRIDGE_CALIBRATION_NONE)
    /// The run passed.
    public static let passed = CalibrationResult(BRIDGE_CALIBRATION_PASSED)
    /// The run failed.
    public static let failed = CalibrationResult(BRIDGE_CALIBRATION_FAILED)
    /// The run did not finish in time.
    public static let timedOut = CalibrationResult(BRIDGE_CALIBRATION_TIMED_OUT)
    /// The run failed because of a bus error.
    public static let busError = CalibrationResult(BRIDGE_CALIBRATION_BUS_ERROR)
    /// The diagnosis passed, but the chip responds while its EN pin is low.
    public static let notDisabled = CalibrationResult(BRIDGE_CALIBRATION_NOT_DISABLED)

    /// The descriptions of the codes that this version defines.
    public static let names: [CalibrationResult: String] = [
        .none: "never run", .passed: "passed", .failed: "failed", .timedOut: "timed out",
        .busError: "bus error", .notDisabled: "passed, but EN has no effect",
    ]

    /// True if the run passed, even if EN has no effect.
    public var hasPassed: Bool { self == .passed || self == .notDisabled }
}

/// The location of an actuator in the device (SPEC 8). The names are those of `GCHapticsLocality`.
public struct Locality: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The default location.
    public static let `default` = Locality(BRIDGE_LOCALITY_DEFAULT)
    /// The left handle.
    public static let leftHandle = Locality(BRIDGE_LOCALITY_LEFT_HANDLE)
    /// The right handle.
    public static let rightHandle = Locality(BRIDGE_LOCALITY_RIGHT_HANDLE)
    /// The left trigger.
    public static let leftTrigger = Locality(BRIDGE_LOCALITY_LEFT_TRIGGER)
    /// The right trigger.
    public static let rightTrigger = Locality(BRIDGE_LOCALITY_RIGHT_TRIGGER)

    /// The descriptions of the codes that this version defines.
    public static let names: [Locality: String] = [
        .default: "default", .leftHandle: "leftHandle", .rightHandle: "rightHandle",
        .leftTrigger: "leftTrigger", .rightTrigger: "rightTrigger",
    ]
}
