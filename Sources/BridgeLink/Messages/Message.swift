// Message: an enumeration of all messages of SPEC 4, in both directions.

/// A message of the protocol, including messages of unknown types (SPEC 4).
public enum Message: Equatable, Sendable {
    // Class CONNECT (SPEC 4.2)
    case hello(Hello)
    case welcome(Welcome)
    case noSession(NoSession)
    // Class URGENT (SPEC 4.3)
    case stop(Stop)
    case mute(Mute)
    case stopped(id: UInt8)
    case muted(id: UInt8)
    // Class SEQUENCED (SPEC 4.4)
    case command(Command)
    case acknowledge(Acknowledge)
    case reject(Reject)
    case samples(Samples)
    // Class QUERY (SPEC 4.5)
    case query(Query)
    case clockReply(ClockReply)
    case status(Status)
    case stream(StreamStatus)
    case actuator(ActuatorStatus)
    case configuration(ConfigurationAnswer)
    case firmware(FirmwareBlock)
    case probed(ProbeAnswer)
    case sensor(SensorState)
    // Messages of unknown types (SPEC 4.1)
    case unknown(MessageType, payload: [UInt8])

    /// Creates the message of the given type from `payload`. Bytes after the known fields are
    /// ignored (SPEC 4.1).
    public init(type: MessageType, payload: [UInt8]) throws(MessageError) {
        switch type {
        case .hello: self = .hello(try Hello(payload))
        case .welcome: self = .welcome(try Welcome(payload))
        case .noSession: self = .noSession(try NoSession(payload))
        case .stop: self = .stop(try Stop(payload))
        case .mute: self = .mute(try Mute(payload))
        case .stopped: self = .stopped(id: try UrgentAnswer(payload).id)
        case .muted: self = .muted(id: try UrgentAnswer(payload).id)
        case .acknowledge: self = .acknowledge(try Acknowledge(payload))
        case .reject: self = .reject(try Reject(payload))
        case .samples: self = .samples(try Samples(payload))
        case .clockReply: self = .clockReply(try ClockReply(payload))
        case .status: self = .status(try Status(payload))
        case .stream: self = .stream(try StreamStatus(payload))
        case .actuator: self = .actuator(try ActuatorStatus(payload))
        case .configuration: self = .configuration(try ConfigurationAnswer(payload))
        case .firmware: self = .firmware(try FirmwareBlock(payload))
        case .probed: self = .probed(try ProbeAnswer(payload))
        case .sensorState: self = .sensor(try SensorState(payload))
        default:
            if let command = try Command(type: type, payload: payload) {
                self = .command(command)
            } else if let query = try Query(type: type, payload: payload) {
                self = .query(query)
            } else {
                self = .unknown(type, payload: payload)
            }
        }
    }

    /// The type of the message.
    public var type: MessageType {
        switch self {
        case .hello: .hello
        case .welcome: .welcome
        case .noSession: .noSession
        case .stop: .stop
        case .mute: .mute
        case .stopped: .stopped
        case .muted: .muted
        case .command(let command): command.type
        case .acknowledge: .acknowledge
        case .reject: .reject
        case .samples: .samples
        case .query(let query): query.type
        case .clockReply: .clockReply
        case .status: .status
        case .stream: .stream
        case .actuator: .actuator
        case .configuration: .configuration
        case .firmware: .firmware
        case .probed: .probed
        case .sensor: .sensorState
        case .unknown(let type, _): type
        }
    }

    /// The payload of the message as it is transmitted.
    public var payload: [UInt8] {
        switch self {
        case .hello(let message): message.payload
        case .welcome(let message): message.payload
        case .noSession(let message): message.payload
        case .stop(let message): message.payload
        case .mute(let message): message.payload
        case .stopped(let id), .muted(let id): UrgentAnswer(id: id).payload
        case .command(let command): command.payload
        case .acknowledge(let message): message.payload
        case .reject(let message): message.payload
        case .samples(let message): message.payload
        case .query(let query): query.payload
        case .clockReply(let message): message.payload
        case .status(let message): message.payload
        case .stream(let message): message.payload
        case .actuator(let message): message.payload
        case .configuration(let message): message.payload
        case .firmware(let message): message.payload
        case .probed(let message): message.payload
        case .sensor(let message): message.payload
        case .unknown(_, let payload): payload
        }
    }
}
