// The messages between a program that serves a board and the programs that use it.

import BridgeLink
import Foundation
import HapticCompiler
import SerialPorts

/// The first message of a program that connects.
struct ClientHello: Codable {
    /// The version of these messages that the program speaks.
    var version = Self.version
    var purpose: EngineMailbox.Purpose
    /// The name of the program, for messages to people.
    var program = Self.ownName

    static let version = 1

    /// The part of every version by which they can be told apart.
    struct Version: Codable {
        var version: Int
    }

    static let ownName =
        "\(ProcessInfo.processInfo.processName) (process \(ProcessInfo.processInfo.processIdentifier))"
}

/// A message of a program that has been accepted.
enum ClientMessage: Codable {
    case perform(PlayerCommand, PlayerID)
    case mute(Bool)
    case shutDown(afterIdle: Microseconds?)
    case restart
    case stop
    /// Bytes of a session with the board (SPEC 2).
    case frames(Data)
    /// The program is alive.
    case alive
    /// The program is alive, and asks for the clock at this time of its own.
    case clock(HostTime)

    /// Makes the message for a request; nil for one that concerns the program alone.
    init?(_ request: EngineRequest) {
        switch request {
        case .perform(let command, let player): self = .perform(command, player)
        case .mute(let isMuted): self = .mute(isMuted)
        case .shutDown(let timeout): self = .shutDown(afterIdle: timeout)
        case .restart: self = .restart
        case .stop: self = .stop
        case .frames(let bytes): self = .frames(bytes)
        case .log: return nil
        }
    }

    /// The request; nil if nothing is requested.
    var request: EngineRequest? {
        switch self {
        case .perform(let command, let player): .perform(command, player)
        case .mute(let isMuted): .mute(isMuted)
        case .shutDown(let timeout): .shutDown(afterIdle: timeout)
        case .restart: .restart
        case .stop: .stop
        case .frames(let bytes): .frames(bytes)
        case .alive, .clock: nil
        }
    }
}

/// A message of the program that serves a board.
enum ServerMessage: Codable {
    /// The program is not accepted, or no longer, for a reason that contains advice.
    case refused(String)
    case report(EngineReport)
    /// The program that serves is alive.
    case alive
    /// The answer to a question for the clock: the time of the question, and of this answer on the
    /// clock of this program.
    case clock(sent: HostTime, at: HostTime)
}

// MARK: Values of other modules

extension BoardPlace: Codable {
    private enum Key: CodingKey { case path, identity }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            path: try values.decode(String.self, forKey: .path),
            identity: try values.decodeIfPresent(String.self, forKey: .identity),
            system: PortSystem())
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(path, forKey: .path)
        try values.encodeIfPresent(identity, forKey: .identity)
    }
}

extension HapticError: Codable {
    private enum Key: CodingKey { case code, message }

    /// Decodes an error, which has its code and its message.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            try values.decode(Code.self, forKey: .code),
            try values.decode(String.self, forKey: .message))
    }

    /// Encodes the code and the message.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(code, forKey: .code)
        try values.encode(message, forKey: .message)
    }
}

extension ActuatorStatus: Codable {
    /// Decodes the message ACTUATOR.
    public init(from decoder: any Decoder) throws {
        let payload = try decoder.singleValueContainer().decode(Data.self)
        guard case .actuator(let status)? = try? Message(type: .actuator, payload: Array(payload))
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not an actuator"))
        }
        self = status
    }

    /// Encodes the message ACTUATOR.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(Message.actuator(self).payload))
    }
}
