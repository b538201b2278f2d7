// The messages of class QUERY: queries, which do not change the device, and their answers (SPEC
// 4.5).

import CBridgeProtocol

/// A query to the device. The sequence byte of the query is a tag that the answer repeats.
public enum Query: Hashable, Sendable {
    case clock
    case status
    case stream(UInt8)
    case actuator(UInt8)
    case configuration(actuator: UInt8)
    case firmware(block: UInt16)
    case probe(address: UInt8)
    case sensor

    /// The message type of the query.
    public var type: MessageType {
        switch self {
        case .clock: .clock
        case .status: .getStatus
        case .stream: .getStream
        case .actuator: .getActuator
        case .configuration: .getConfiguration
        case .firmware: .getFirmware
        case .probe: .probe
        case .sensor: .getSensor
        }
    }

    /// The payload of the query as it is transmitted.
    public var payload: [UInt8] {
        switch self {
        case .clock, .status, .sensor: []
        case .stream(let index), .actuator(let index), .configuration(let index),
            .probe(let index):
            [index]
        case .firmware(let block): FirmwareBlock(number: block).payload
        }
    }

    /// Creates the query of the given type from `payload`; nil if the type is unknown.
    init?(type: MessageType, payload: [UInt8]) throws(MessageError) {
        switch type {
        case .clock: self = .clock
        case .getStatus: self = .status
        case .getStream: self = .stream(try Index(payload).value)
        case .getActuator: self = .actuator(try Index(payload).value)
        case .getConfiguration: self = .configuration(actuator: try Index(payload).value)
        case .getFirmware: self = .firmware(block: try FirmwareBlock(payload).number)
        case .probe: self = .probe(address: try Index(payload).value)
        case .getSensor: self = .sensor
        default: return nil
        }
    }
}

/// The message CLOCK_REPLY (A0), which contains two device times in microseconds: the time at which
/// the last byte of CLOCK arrived, and the time at which this answer was ready to be sent.
public struct ClockReply: PayloadCoding {
    /// The device time at which the last byte of CLOCK arrived, in microseconds.
    public var received: UInt32
    /// The device time at which the answer was ready to be sent, in microseconds.
    public var transmitted: UInt32

    /// Creates a CLOCK_REPLY from its fields.
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

/// The message STREAM (A2), which reports the state of one stream.
public struct StreamStatus: PayloadCoding {
    /// The number of the stream.
    public var stream: UInt8
    /// The current generation of the stream. If a REVISE is waiting to take effect, the value is
    /// the generation of that REVISE.
    public var generation: UInt8
    /// The state of the stream.
    public var state: StreamState
    /// The actuators of the stream; none if the stream is closed.
    public var actuators: ActuatorMask
    /// The event memory of the stream, in bytes.
    public var capacity: UInt16
    /// The running total of the event bytes that the host is permitted to send, modulo 65,536.
    public var eventLimit: UInt16
    /// The device time of tick 0, in microseconds.
    public var startTime: UInt32
    /// The tick of the event that was executed last in this segment.
    public var position: UInt32
    /// The device time at which the last REVISE took effect, in microseconds.
    public var reviseTime: UInt32
    /// The number of events executed since OPEN, modulo 65,536.
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

/// The message CONFIGURATION (A4), which is also the payload of CONFIGURE: an actuator and its
/// configuration (SPEC 8).
public struct ConfigurationAnswer: PayloadCoding {
    /// The number of the actuator.
    public var actuator: UInt8
    /// The configuration of the actuator.
    public var configuration: ActuatorConfiguration

    /// Creates the message from an actuator and its configuration.
    public init(actuator: UInt8, configuration: ActuatorConfiguration) {
        self.actuator = actuator
        self.configuration = configuration
    }

    /// The number of bytes without the fields that older devices omit.
    static let size = Int(BRIDGE_CONFIGURE_SIZE_MIN)

    init(from reader: inout PayloadReader) {
        actuator = reader.integer()
        configuration = ActuatorConfiguration(from: &reader)
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(actuator)
        configuration.write(to: &writer)
    }
}

/// The message FIRMWARE (A5), which contains one block of the firmware's image as stored in the
/// program memory of the board.
public struct FirmwareBlock: PayloadCoding {
    /// The number of the block. Block n begins at byte 32 · n of the image.
    public var number: UInt16
    /// The bytes of the block, at most 32. The last block of the image may have fewer bytes. A
    /// block after the end of the image is empty, as is every block from a board that cannot read
    /// its image.
    public var bytes: [UInt8]

    /// Creates a block from its fields.
    public init(number: UInt16, bytes: [UInt8] = []) {
        (self.number, self.bytes) = (number, bytes)
    }

    /// The size of every block except the last, in bytes.
    public static let length = Int(BRIDGE_FIRMWARE_BLOCK)

    static let size = Int(BRIDGE_FIRMWARE_SIZE)

    init(from reader: inout PayloadReader) {
        number = reader.integer()
        bytes = reader.read(min(reader.remaining, Self.length))
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(number)
        writer.append(bytes)
    }
}

/// The message PROBED (A6), which reports whether a chip on the I2C bus has acknowledged its address.
public struct ProbeAnswer: PayloadCoding {
    /// The 7-bit address that was sent.
    public var address: UInt8
    /// True if a chip has acknowledged the address.
    public var isAcknowledged: Bool

    /// Creates the message from its fields.
    public init(address: UInt8, isAcknowledged: Bool) {
        (self.address, self.isAcknowledged) = (address, isAcknowledged)
    }

    /// The addresses that can be probed; all other addresses are reserved on the bus.
    public static let addresses: ClosedRange<UInt8> =
        UInt8(BRIDGE_PROBE_ADDRESS_MIN)...UInt8(BRIDGE_PROBE_ADDRESS_MAX)

    static let size = Int(BRIDGE_PROBED_SIZE)

    init(from reader: inout PayloadReader) {
        let byte: UInt8 = reader.integer()
        address = byte & ~UInt8(BRIDGE_PROBED_ACKNOWLEDGED)
        isAcknowledged = byte & UInt8(BRIDGE_PROBED_ACKNOWLEDGED) != 0
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(address | (isAcknowledged ? UInt8(BRIDGE_PROBED_ACKNOWLEDGED) : 0))
    }
}
