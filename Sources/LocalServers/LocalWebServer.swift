// LocalWebServer: serves a page only to the browser of this computer's user.

/// A web server at 127.0.0.1 that serves a page, and a WebSocket at `/live` for that page.
///
/// Other programs, and other pages in the same browser, can also reach the port. Therefore, a
/// secret authorizes the page: the URL contains a token, which the browser exchanges once for a
/// cookie and a key (``PageKeys``). The server rejects requests for other hosts, and requests from
/// pages of other origins. HTTP requests cannot change anything. On Linux, the server closes
/// connections that belong to other users.
///
/// The server calls its closures one after another on its own thread. While a closure is running,
/// the server reads nothing.
public final class LocalWebServer: Sendable {
    /// The port on which the server listens.
    public var port: Int { gate.port }

    var keys: PageKeys { gate.keys }
    private let gate: PageGate
    private let listener: LoopbackListener

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - port: the port on which to listen; 0 for any free port.
    ///   - files: the files of the page by name. `index.html` is served at `/`.
    ///   - onOpen: a closure that is called when a page has opened a WebSocket.
    ///   - onMessage: a closure that is called with each message from a page: a text of up to 8
    ///     MiB.
    ///   - onClose: a closure that is called when the connection to a page has ended for any
    ///     reason.
    ///   - onUnauthorized: a closure that is called for each request from an unauthorized browser,
    ///     with the URL that would authorize it.
    /// - Throws: ``PortRefusal`` if the server cannot listen on the port.
    public convenience init(
        port: Int = 0, files: [String: [UInt8]],
        onOpen: @escaping @Sendable (PageConnection) -> Void,
        onMessage: @escaping @Sendable (PageConnection, String) -> Void,
        onClose: @escaping @Sendable (PageConnection) -> Void,
        onUnauthorized: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        try self.init(
            port: port, files: files, limits: PageLimits(),
            events: PageEvents(
                onOpen: onOpen, onMessage: onMessage, onClose: onClose,
                onUnauthorized: onUnauthorized))
    }

    init(port: Int, files: [String: [UInt8]], limits: PageLimits, events: PageEvents) throws {
        let connections = AcceptedConnections(files: files, limits: limits, events: events)
        listener = try LoopbackListener(port: port, connections)
        gate = PageGate(
            port: listener.port, keys: PageKeys(port: listener.port), fileNames: Set(files.keys))
        connections.open(gate)
    }

    /// The URL that authorizes one browser. Once a browser has opened the URL, the URL becomes
    /// invalid, and a new one replaces it.
    public var url: String { gate.url }

    /// Closes all connections and the port, and returns after `onClose` has been called for each
    /// page. The closures must not call this method. Further calls have no effect.
    public func close() { listener.close() }
}
