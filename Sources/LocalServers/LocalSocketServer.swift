// LocalSocketServer: a WebSocket server for programs of this computer's user.

import NIOCore

/// A server at 127.0.0.1 that opens a WebSocket for programs of the user, at any path.
///
/// Pages in a browser can connect only if the user has allowed their origin. The server rejects
/// requests for other hosts. On Linux, the server also closes connections that belong to other
/// users.
///
/// The server calls its closures one after another on its own thread. While a closure is running,
/// the server reads nothing.
public final class LocalSocketServer: Sendable {
    /// The port on which the server listens.
    public let port: Int
    private let listener: LoopbackListener

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - port: the port on which to listen; 0 for any free port.
    ///   - origins: the origins of the pages that may connect, in lower case.
    ///   - key: the secret that the address must contain, as `?key=`; nil to admit each program of the
    ///     user.
    ///   - messageMax: the maximum size of a message, in bytes.
    ///   - tooLarge: the text that is sent to a client whose message exceeds `messageMax`, before
    ///     the connection is closed.
    ///   - interval: the time between two calls of `onInterval`, in microseconds; nil for no calls.
    ///   - onInterval: a closure that is called repeatedly, at the given interval.
    ///   - onOpen: a closure that is called when a client has opened a WebSocket.
    ///   - onMessage: a closure that is called with each text message from a client.
    ///   - onClose: a closure that is called when the connection to a client has ended for any
    ///     reason.
    ///   - onStranger: a closure that is called for each request from a page whose origin is not
    ///     allowed. Its argument is the origin that the page has sent.
    /// - Throws: ``PortRefusal`` if the server cannot listen on the port.
    public init(
        port: Int, origins: Set<String>, key: PageKey? = nil, messageMax: Int, tooLarge: String,
        every interval: Int64? = nil, onInterval: @escaping @Sendable () -> Void = {},
        onOpen: @escaping @Sendable (PageConnection) -> Void,
        onMessage: @escaping @Sendable (PageConnection, String) -> Void = { _, _ in },
        onClose: @escaping @Sendable (PageConnection) -> Void = { _ in },
        onStranger: @escaping @Sendable (String) -> Void
    ) throws {
        var limits = PageLimits()
        limits.message = messageMax
        limits.tooLarge = tooLarge
        limits.backlog = Self.backlogMax
        let connections = AcceptedConnections(
            limits: limits,
            events: PageEvents(
                onOpen: onOpen, onMessage: onMessage, onClose: onClose, onUnauthorized: onStranger))
        listener = try LoopbackListener(port: port, connections)
        self.port = listener.port
        if let interval { listener.every(.microseconds(interval), onInterval) }
        connections.open(ProgramGate(port: listener.port, origins: origins, key: key))
    }

    /// The maximum number of bytes that are queued for a client that does not read them.
    private static let backlogMax = 1 << 20

    /// Closes all connections and the port, and returns after `onClose` has been called for each
    /// client. The closures must not call this method. Further calls have no effect.
    public func close() { listener.close() }
}
