// Command: all sequenced messages, which are carried out in order and exactly once (SPEC 4.4).

import CBridgeProtocol

/// A sequenced message. Most messages about streams have their own types; this file defines the
/// other messages.
public enum Command: Equatable, Sendable {
    case open(Open)
    case close(stream: UInt8)
    case start(Start)
    case scale(Scale)
    case events(Events)
    case revise(Revise)
    case gain(Gain)
    case clearFaults(ClearFaults)
    case configure(ActuatorConfiguration, actuator: UInt8)
    case calibrate(actuator: UInt8)
    case diagnose(actuator: UInt8)
    case save(actuator: UInt8)
    case enterBootloader
    /// Makes the limits of the current configuration binding for all later configurations. The lock
    /// can be removed only manually, at the board itself.
    case lock(actuator: UInt8)
    /// Starts or ends a recording from the accelerometer.
    case record(Record)

    /// The message type of the command.
    public var type: MessageType {
        switch self {
        case .open: .open
        case .close: .close
        case .start: .start
        case .scale: .scale
        case .events: .events
        case .revise: .revise
        case .gain: .gain
        case .clearFaults: .clearFaults
        case .configure: .configure
        case .calibrate: .calibrate
        case .diagnose: .diagnose
        case .save: .save
        case .enterBootloader: .enterBootloader
        case .lock: .lock
        case .record: .record
        }
    }

    /// The payload of the command, as it is transmitted.
    public var payload: [UInt8] {
        switch self {
        case .open(let message): message.payload
        case .close(let stream): [stream]
        case .start(let message): message.payload
        case .scale(let message): message.payload
        case .events(let message): message.payload
        case .revise(let message): message.payload
        case .gain(let message): message.payload
        case .clearFaults(let message): message.payload
        case .configure(let configuration, let actuator):
            ConfigurationAnswer(actuator: actuator, configuration: configuration).payload
        case .calibrate(let actuator), .diagnose(let actuator), .save(let actuator),
            .lock(let actuator):
            [actuator]
        case .enterBootloader: []
        case .record(let message): message.payload
        }
    }

    /// Creates the sequenced message of the given type from `payload`; nil if the type is unknown.
    init?(type: MessageType, payload: [UInt8]) throws(MessageError) {
        switch type {
        case .open: self = .open(try Open(payload))
        case .close: self = .close(stream: try Index(payload).value)
        case .start: self = .start(try Start(payload))
        case .scale: self = .scale(try Scale(payload))
        case .events: self = .events(try Events(payload))
        case .revise: self = .revise(try Revise(payload))
        case .gain: self = .gain(try Gain(payload))
        case .clearFaults: self = .clearFaults(try ClearFaults(payload))
        case .configure:
            let message = try ConfigurationAnswer(payload)
            self = .configure(message.configuration, actuator: message.actuator)
        case .calibrate: self = .calibrate(actuator: try Index(payload).value)
        case .diagnose: self = .diagnose(actuator: try Index(payload).value)
        case .save: self = .save(actuator: try Index(payload).value)
        case .enterBootloader: self = .enterBootloader
        case .lock: self = .lock(actuator: try Index(payload).value)
        case .record: self = .record(try Record(payload))
        default: return nil
        }
    }
}

/// The message GAIN, which scales all levels of a set of actuators.
public struct Gain: PayloadCoding {
    /// The actuators whose gain changes.
    public var actuators: ActuatorMask
    /// The gain from 0 to 255; 255 leaves levels unchanged.
    public var gain: UInt8

    /// Creates a GAIN from its fields.
    public init(actuators: ActuatorMask, gain: UInt8) {
        self.actuators = actuators
        self.gain = gain
    }

    static let size = Int(BRIDGE_GAIN_SIZE)

    init(from reader: inout PayloadReader) {
        actuators = ActuatorMask(rawValue: reader.integer())
        gain = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(actuators.rawValue)
        writer.integer(gain)
    }
}

/// The message CLEAR_FAULTS, which clears latched faults, provided that no other fault has occurred
/// in the meantime (SPEC 9).
public struct ClearFaults: PayloadCoding {
    /// The faults to clear.
    public var faults: Faults
    /// The value of `fault_total` in the last STATUS that the host received.
    public var faultTotal: UInt8

    /// Creates a CLEAR_FAULTS from its fields.
    public init(faults: Faults, faultTotal: UInt8) {
        self.faults = faults
        self.faultTotal = faultTotal
    }

    static let size = Int(BRIDGE_CLEAR_FAULTS_SIZE)

    init(from reader: inout PayloadReader) {
        faults = Faults(rawValue: reader.integer())
        faultTotal = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(faults.rawValue)
        writer.integer(faultTotal)
    }
}

/// A payload that consists only of the number of a stream or of an actuator.
struct Index: PayloadCoding {
    var value: UInt8

    static let size = Int(BRIDGE_CLOSE_SIZE)

    init(from reader: inout PayloadReader) { value = reader.integer() }
    func write(to writer: inout PayloadWriter) { writer.integer(value) }
}
