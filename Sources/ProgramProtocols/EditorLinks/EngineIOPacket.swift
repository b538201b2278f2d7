// EngineIOPacket: the packets of Engine.IO 4, which transport the packets of Socket.IO over a
// WebSocket.

import JSONText

/// A packet of Engine.IO, revision 4, as the text of a WebSocket message.
///
/// The first character of the text is the type of the packet (engine.io-protocol, "Packet types").
public enum EngineIOPacket: Sendable, Equatable {
    /// The server has opened a session.
    case open(Handshake)
    /// The session has ended.
    case close
    /// The server requests a pong, to check whether the connection is still alive.
    case ping(String)
    /// The answer to a ping, with the text of the ping.
    case pong(String)
    /// A packet of Socket.IO.
    case message(String)
    /// A packet that has no meaning for a WebSocket.
    case noop

    /// The parameters of a session, as the server sends them.
    public struct Handshake: Sendable, Equatable {
        /// The interval between two pings, in milliseconds, limited to 1...25,000.
        public var pingInterval: Int64
        /// The maximum delay of a ping in addition to ``pingInterval``, in milliseconds, limited to
        /// 1...5,000.
        ///
        /// Servers specify up to 20 s. Such a delay is too long for haptics, which continue to play
        /// until the loss of the connection is detected.
        public var pingTimeout: Int64
    }

    /// The first character of a pong. The text of the ping follows this character.
    static let pongType = "3"
    /// The first character of a message.
    static let messageType = "4"

    /// Reads a packet.
    ///
    /// - Throws: ``EditorLinkError`` if the text is not a packet.
    public init(_ text: String) throws(EditorLinkError) {
        let rest = String(text.dropFirst())
        switch text.first {
        case "0": self = .open(try Handshake(rest))
        case "1": self = .close
        case "2": self = .ping(rest)
        case "3": self = .pong(rest)
        case "4": self = .message(rest)
        case "6": self = .noop
        default:
            throw EditorLinkError(
                "Engine.IO: a packet must begin with a type of 0 to 4 or 6, not with "
                    + "\"\(String(text.prefix(1)).asNameOfStranger)\"")
        }
    }
}

extension EngineIOPacket.Handshake {
    fileprivate init(_ text: String) throws(EditorLinkError) {
        let value = try JSONValue.message(text, of: "Engine.IO: the handshake")
        guard let interval = value["pingInterval"]?.number,
            let timeout = value["pingTimeout"]?.number
        else {
            throw EditorLinkError(
                "Engine.IO: the handshake must contain pingInterval and pingTimeout")
        }
        self.init(
            pingInterval: Int64(min(max(interval, 1), 25_000)),
            pingTimeout: Int64(min(max(timeout, 1), 5000)))
    }
}

// MARK: JSON of messages

extension JSONValue {
    /// Reads the JSON text of a message in strict mode.
    static func message(_ text: String, of what: String) throws(EditorLinkError) -> JSONValue {
        do {
            return try JSONReader.read(Array(text.utf8), mode: .strict).value
        } catch {
            throw EditorLinkError("\(what) is not valid JSON: \(error.location): \(error.message)")
        }
    }
}
