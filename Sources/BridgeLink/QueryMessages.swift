// Class QUERY: questions that leave no trace, and their answers (SPEC 4.5).

import CBridgeProtocol

/// A question to the device; its sequence byte is a tag that comes back in the answer.
public enum Query: Hashable, Sendable {
    case clock
    case status
    case stream(UInt8)
    case actuator(UInt8)
    case configuration(actuator: UInt8)

    public var type: MessageType {
        switch self {
        case .clock: .clock
        case .status: .getStatus
        case .stream: .getStream
        case .actuator: .getActuator
        case .configuration: .getConfiguration
        }
    }

    public var payload: [UInt8] {
        switch self {
        case .clock, .status: []
        case .stream(let index), .actuator(let index), .configuration(let index): [index]
        }
    }

    /// The query of this type in `payload`, or nil if the type is not known.
    init?(type: MessageType, payload: [UInt8]) throws(MessageError) {
        switch type {
        case .clock: self = .clock
        case .getStatus: self = .status
        case .getStream: self = .stream(try Index(payload).value)
        case .getActuator: self = .actuator(try Index(payload).value)
        case .getConfiguration: self = .configuration(actuator: try Index(payload).value)
        default: return nil
        }
    }
}

/// A0: when CLOCK's last byte arrived and when this answer left, in device microseconds.
public struct ClockReply: PayloadCoding {
    public var received: UInt32
    public var transmitted: UInt32

    public init(received: UInt32, transmitted: UInt32) {
        self.received = received
        self.transmitted = transmitted
    }

    static let size = Int(BRIDGE_CLOCK_REPLY_SIZE)

    init(from reader: inout PayloadReader) {
        received = reader.integer()
        transmitted = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(received)
        writer.integer(transmitted)
    }
}

/// A2 STREAM: where one stream is.
public struct StreamStatus: PayloadCoding {
    public var stream: UInt8
    public var generation: UInt8
    public var state: StreamState
    public var actuators: ActuatorMask
    /// Bytes of event memory.
    public var capacity: UInt16
    /// The running total of event bytes that may be sent.
    public var eventLimit: UInt16
    /// Device microseconds of tick 0.
    public var startTime: UInt32
    /// Ticks of the newest executed event in this segment.
    public var position: UInt32
    /// Device microseconds at which the last REVISE took effect.
    public var reviseTime: UInt32
    /// Events executed since OPEN, modulo 65,536.
    public var events: UInt16

    static let size = Int(BRIDGE_STREAM_SIZE)

    init(from reader: inout PayloadReader) {
        stream = reader.integer()
        generation = reader.integer()
        state = reader.code()
        actuators = ActuatorMask(rawValue: reader.integer())
        capacity = reader.integer()
        eventLimit = reader.integer()
        startTime = reader.integer()
        position = reader.integer()
        reviseTime = reader.integer()
        events = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(stream)
        writer.integer(generation)
        writer.code(state)
        writer.integer(actuators.rawValue)
        writer.integer(capacity)
        writer.integer(eventLimit)
        writer.integer(startTime)
        writer.integer(position)
        writer.integer(reviseTime)
        writer.integer(events)
    }
}

/// A4 CONFIGURATION, and CONFIGURE's payload: an actuator and its configuration (SPEC 8).
public struct ConfigurationAnswer: PayloadCoding {
    public var actuator: UInt8
    public var configuration: ActuatorConfiguration

    public init(actuator: UInt8, configuration: ActuatorConfiguration) {
        self.actuator = actuator
        self.configuration = configuration
    }

    static let size = Int(BRIDGE_CONFIGURATION_SIZE)

    init(from reader: inout PayloadReader) {
        actuator = reader.integer()
        configuration = ActuatorConfiguration(from: &reader)
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(actuator)
        configuration.write(to: &writer)
    }
}
