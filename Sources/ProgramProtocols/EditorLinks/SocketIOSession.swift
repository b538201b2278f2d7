// SocketIOSession: the client side of a Socket.IO connection, without I/O.

import JSONText

/// The client side of a Socket.IO connection over a WebSocket.
///
/// The owner passes received messages and the current time to the session, and performs the tasks
/// that the session returns. Times are in microseconds on any clock.
public struct SocketIOSession: Sendable {
    /// A task that the owner performs.
    public enum Output: Sendable, Equatable {
        /// Send a text.
        case send(String)
        /// Record that the connection is open and that events can be sent.
        case connected
        /// Handle an event.
        case event(String, [JSONValue])
        /// Close the WebSocket, because the server has ended the connection for the given reason.
        case end(String)
    }

    private enum State { case opening, connecting, connected, ended }

    /// The maximum time until the connection is open, in microseconds.
    public static let patience: Int64 = 10_000_000

    private var state = State.opening
    /// The number of binary attachments that the last packet announced and that have not arrived
    /// yet.
    private var attachments = 0
    /// The maximum time between two messages from the server, in microseconds.
    private var silence = Self.patience
    /// The time at which the connection is considered lost unless a message arrives earlier, in
    /// microseconds.
    public private(set) var deadline: Int64

    /// Creates a session whose WebSocket was opened at the given time.
    public init(at now: Int64) { deadline = now + Self.patience }

    /// Handles a text message.
    ///
    /// - Throws: ``EditorLinkError`` if the message is invalid or unexpected.
    public mutating func receive(_ text: String, at now: Int64) throws(EditorLinkError) -> [Output]
    {
        guard state != .ended else { return [] }
        let outputs = try handle(EngineIOPacket(text))
        deadline = now + silence
        return outputs
    }

    /// Handles a binary message, and ignores its content.
    ///
    /// - Throws: ``EditorLinkError`` if no packet has announced the binary message.
    public mutating func receiveBinary(at now: Int64) throws(EditorLinkError) {
        guard state != .ended else { return }
        guard attachments > 0 else {
            throw EditorLinkError(
                "Socket.IO: received a binary message that no packet has announced")
        }
        attachments -= 1
        deadline = now + silence
    }

    private mutating func handle(_ packet: EngineIOPacket) throws(EditorLinkError) -> [Output] {
        switch packet {
        case .open(let handshake):
            guard state == .opening else {
                throw EditorLinkError(
                    "Engine.IO: received a second handshake")
            }
            silence = (handshake.pingInterval + handshake.pingTimeout) * 1000
            state = .connecting
            return [.send(EngineIOPacket.messageType + "0")]
        case .close:
            state = .ended
            return [.end("the editor has closed the connection")]
        case .ping(let text): return [.send(EngineIOPacket.pongType + text)]
        case .pong, .noop: return []
        case .message(let text): return try handle(SocketIOPacket(text))
        }
    }

    private mutating func handle(_ packet: SocketIOPacket) throws(EditorLinkError) -> [Output] {
        guard attachments == 0 else {
            throw EditorLinkError(
                "Socket.IO: received a packet before the attachments of the previous packet")
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
        default:
            throw EditorLinkError("Socket.IO: received a packet before the connection was open")
        }
    }
}
