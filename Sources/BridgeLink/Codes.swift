// The codes inside payloads: reasons, states and kinds, with the values of bridge_protocol.h.

import CBridgeProtocol

/// Why the device did not carry out a message (SPEC 4.4).
public struct RejectCode: WireCode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let none = RejectCode(BRIDGE_REJECT_NONE)
    public static let unknownMessage = RejectCode(BRIDGE_REJECT_UNKNOWN_MESSAGE)
    public static let length = RejectCode(BRIDGE_REJECT_LENGTH)
    public static let range = RejectCode(BRIDGE_REJECT_RANGE)
    public static let noStream = RejectCode(BRIDGE_REJECT_NO_STREAM)
    public static let noActuator = RejectCode(BRIDGE_REJECT_NO_ACTUATOR)
    public static let inUse = RejectCode(BRIDGE_REJECT_IN_USE)
    public static let memory = RejectCode(BRIDGE_REJECT_MEMORY)
    public static let unconfigured = RejectCode(BRIDGE_REJECT_UNCONFIGURED)
    public static let notAtRest = RejectCode(BRIDGE_REJECT_NOT_AT_REST)
    public static let unsupported = RejectCode(BRIDGE_REJECT_UNSUPPORTED)
    public static let pending = RejectCode(BRIDGE_REJECT_PENDING)
    public static let credit = RejectCode(BRIDGE_REJECT_CREDIT)
    public static let time = RejectCode(BRIDGE_REJECT_TIME)
    public static let fault = RejectCode(BRIDGE_REJECT_FAULT)
    public static let limit = RejectCode(BRIDGE_REJECT_LIMIT)
    public static let budget = RejectCode(BRIDGE_REJECT_BUDGET)
    public static let muted = RejectCode(BRIDGE_REJECT_MUTED)

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

/// Why the device last started (SPEC 4.2).
public struct ResetCause: WireCode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A boot loader has hidden it: the reset pin, or the watchdog while interrupts were off.
    public static let unknown = ResetCause(BRIDGE_RESET_UNKNOWN)
    public static let power = ResetCause(BRIDGE_RESET_POWER)
    public static let external = ResetCause(BRIDGE_RESET_EXTERNAL)
    public static let watchdog = ResetCause(BRIDGE_RESET_WATCHDOG)
    public static let brownOut = ResetCause(BRIDGE_RESET_BROWN_OUT)

    public static let names: [ResetCause: String] = [
        .unknown: "reset pin or watchdog", .power: "power-on", .external: "external reset",
        .watchdog: "watchdog", .brownOut: "brown-out",
    ]
}

/// Where a stream is in its life (SPEC 6).
public struct StreamState: WireCode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let closed = StreamState(BRIDGE_STREAM_CLOSED)
    public static let open = StreamState(BRIDGE_STREAM_OPEN)
    public static let playing = StreamState(BRIDGE_STREAM_PLAYING)
    public static let dry = StreamState(BRIDGE_STREAM_DRY)
    public static let ended = StreamState(BRIDGE_STREAM_ENDED)

    public static let names: [StreamState: String] = [
        .closed: "closed", .open: "open", .playing: "playing", .dry: "dry", .ended: "ended",
    ]
}

/// Where an actuator is between rest and drive (SPEC 8).
public struct ActuatorState: WireCode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let starting = ActuatorState(BRIDGE_ACTUATOR_STARTING)
    public static let unconfigured = ActuatorState(BRIDGE_ACTUATOR_UNCONFIGURED)
    public static let atRest = ActuatorState(BRIDGE_ACTUATOR_AT_REST)
    public static let awake = ActuatorState(BRIDGE_ACTUATOR_AWAKE)
    public static let comingToRest = ActuatorState(BRIDGE_ACTUATOR_COMING_TO_REST)
    public static let calibrating = ActuatorState(BRIDGE_ACTUATOR_CALIBRATING)
    public static let fault = ActuatorState(BRIDGE_ACTUATOR_FAULT)

    public static let names: [ActuatorState: String] = [
        .starting: "starting", .unconfigured: "unconfigured", .atRest: "at rest",
        .awake: "awake", .comingToRest: "coming to rest", .calibrating: "calibrating",
        .fault: "fault",
    ]
}

/// How an actuator moves (SPEC 8).
public struct ActuatorKind: WireCode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let none = ActuatorKind(BRIDGE_KIND_NONE)
    /// Linear resonant actuator.
    public static let lra = ActuatorKind(BRIDGE_KIND_LRA)
    /// Eccentric rotating mass.
    public static let erm = ActuatorKind(BRIDGE_KIND_ERM)

    public static let names: [ActuatorKind: String] = [.none: "none", .lra: "LRA", .erm: "ERM"]
}

/// How the last calibration went (SPEC 8).
public struct CalibrationResult: WireCode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let none = CalibrationResult(BRIDGE_CALIBRATION_NONE)
    public static let passed = CalibrationResult(BRIDGE_CALIBRATION_PASSED)
    public static let failed = CalibrationResult(BRIDGE_CALIBRATION_FAILED)
    public static let timedOut = CalibrationResult(BRIDGE_CALIBRATION_TIMED_OUT)
    public static let busError = CalibrationResult(BRIDGE_CALIBRATION_BUS_ERROR)

    public static let names: [CalibrationResult: String] = [
        .none: "never run", .passed: "passed", .failed: "failed", .timedOut: "timed out",
        .busError: "bus error",
    ]
}

/// Where an actuator is (SPEC 8), with the names of `GCHapticsLocality`.
public struct Locality: WireCode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let `default` = Locality(BRIDGE_LOCALITY_DEFAULT)
    public static let leftHandle = Locality(BRIDGE_LOCALITY_LEFT_HANDLE)
    public static let rightHandle = Locality(BRIDGE_LOCALITY_RIGHT_HANDLE)
    public static let leftTrigger = Locality(BRIDGE_LOCALITY_LEFT_TRIGGER)
    public static let rightTrigger = Locality(BRIDGE_LOCALITY_RIGHT_TRIGGER)

    public static let names: [Locality: String] = [
        .default: "default", .leftHandle: "leftHandle", .rightHandle: "rightHandle",
        .leftTrigger: "leftTrigger", .rightTrigger: "rightTrigger",
    ]
}
