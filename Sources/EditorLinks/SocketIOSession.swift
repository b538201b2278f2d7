// SocketIOSession: the client's side of a connection by Socket.IO, without a socket.

import JSONText

/// The client's side of a Socket.IO connection through a WebSocket.
///
/// The owner passes on what it receives, with the time, and does what is returned. Time is in
/// microseconds of any clock.
public struct SocketIOSession: Sendable {
    /// A task of the owner.
    public enum Output: Sendable, Equatable {
        /// Send a text.
        case send(String)
        /// Take note that events can be sent from now on.
        case connected
        /// Take an event.
        case event(String, [JSONValue])
        /// Close the WebSocket: the server has ended the connection, for a reason in words.
        case end(String)
    }

    private enum State { case opening, connecting, connected, ended }

    /// The time within which a server opens the connection, in microseconds.
    public static let patience: Int64 = 10_000_000

    private var state = State.opening
    /// The number of binary messages that belong to a packet before them.
    private var attachments = 0
    /// The time between two signs of life, in microseconds.
    private var silence = Self.patience
    /// The time at which a server that has not been heard of is given up, in microseconds.
    public private(set) var deadline: Int64

    /// Makes a session whose WebSocket has been opened at a time.
    public init(at now: Int64) { deadline = now + Self.patience }

    /// Takes a text message.
    ///
    /// - Throws: ``EditorLinkError`` for a message that cannot stand where it stands.
    public mutating func receive(_ text: String, at now: Int64) throws(EditorLinkError) -> [Output]
    {
        guard state != .ended else { return [] }
        let outputs = try take(EngineIOPacket(text))
        deadline = now + silence
        return outputs
    }

    /// Takes a binary message, whose bytes nothing here needs.
    ///
    /// - Throws: ``EditorLinkError`` for one that no packet has announced.
    public mutating func receiveBinary(at now: Int64) throws(EditorLinkError) {
        guard state != .ended else { return }
        guard attachments > 0 else {
            throw EditorLinkError("Socket.IO: bytes that no packet has announced")
        }
        attachments -= 1
        deadline = now + silence
    }

    private mutating func take(_ packet: EngineIOPacket) throws(EditorLinkError) -> [Output] {
        switch packet {
        case .open(let handshake):
            guard state == .opening else { throw EditorLinkError("Engine.IO: a second handshake") }
            silence = (handshake.pingInterval + handshake.pingTimeout) * 1000
            state = .connecting
            return [.send(EngineIOPacket.messageType + "0")]
        case .close:
            state = .ended
            return [.end("the editor has closed the connection")]
        case .ping(let text): return [.send(EngineIOPacket.pongType + text)]
        case .pong, .noop: return []
        case .message(let text): return try take(SocketIOPacket(text))
        }
    }

    private mutating func take(_ packet: SocketIOPacket) throws(EditorLinkError) -> [Output] {
        guard attachments == 0 else {
            throw EditorLinkError(
                "Socket.IO: a packet before the bytes that belong to the last one")
        }
        switch (packet, state) {
        case (.connect, .connecting):
            state = .connected
            return [.connected]
        case (.refusal(let reason), _):
            state = .ended
            return [.end("the editor refuses the connection: \(reason)")]
        case (.disconnect, _):
            state = .ended
            return [.end("the editor has ended the connection")]
        case (.event(let name, let arguments, let number), .connected):
            let answer = number.map { Output.send(EngineIOPacket.messageType + "3\($0)[]") }
            return [answer].compactMap(\.self) + [.event(name, arguments)]
        case (.binary(let count), .connected):
            attachments = count
            return []
        case (.acknowledgement, .connected): return []
        default: throw EditorLinkError("Socket.IO: a packet before the connection is there")
        }
    }
}
