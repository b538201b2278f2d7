// LocalWebServer: a page for the browser of this computer's user, and for nobody else.

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// Serves a page at 127.0.0.1, and a WebSocket at `/live` to it.
///
/// Other programs and foreign pages in the same browser can reach the port as well. What lets a page
/// in is a secret: the URL contains a token, which the browser exchanges once for a cookie and a key
/// (``PageKeys``). Requests for other hosts, and from pages of other origins, are refused; requests by
/// HTTP have no effect. On Linux, connections of other users are closed.
///
/// The closures are called one after another on the thread of the server. While one lasts, nothing
/// is read.
public final class LocalWebServer: Sendable {
    /// The port that is listened at.
    public let port: Int

    var keys: PageKeys { gate.keys }
    private let gate: RequestGate
    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listener: Channel
    private let visitors: PageVisitors
    private let isClosed = Atomic(false)

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - port: the port to listen at; 0 for one that is free.
    ///   - files: the files of the page by their names. `index.html` is served at `/`.
    ///   - onOpen: receives each page that opens a WebSocket.
    ///   - onMessage: receives the messages of a page: text of up to 8 MiB.
    ///   - onClose: receives each page that has gone, however that happened.
    ///   - onStranger: receives the URL that would let a browser in, for each request of one that has not
    ///     been let in.
    /// - Throws: an `IOError` if the port cannot be listened at.
    public convenience init(
        port: Int = 0, files: [String: [UInt8]],
        onOpen: @escaping @Sendable (PageConnection) -> Void,
        onMessage: @escaping @Sendable (PageConnection, String) -> Void,
        onClose: @escaping @Sendable (PageConnection) -> Void,
        onStranger: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        try self.init(
            port: port, files: files, limits: PageLimits(),
            events: PageEvents(
                onOpen: onOpen, onMessage: onMessage, onClose: onClose, onStranger: onStranger))
    }

    init(port: Int, files: [String: [UInt8]], limits: PageLimits, events: PageEvents) throws {
        let visitors = PageVisitors(files: files, limits: limits, events: events)
        self.visitors = visitors
        do {
            listener = try ServerBootstrap(group: loops)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(LoopbackGate())
                        try visitors.admit(channel)
                    }
                }
                .bind(to: SocketAddress(ipAddress: "127.0.0.1", port: port))
                .wait()
        } catch {
            try? loops.syncShutdownGracefully()
            throw error
        }
        self.port = listener.localAddress?.port ?? port
        gate = RequestGate(
            port: self.port, keys: PageKeys(port: self.port), fileNames: Set(files.keys))
        visitors.open(gate)
    }

    /// The URL that lets one browser in. It is used up when a browser has opened it; then this is
    /// another one.
    public var url: String { gate.url }

    /// Closes all connections and the port, and returns when `onClose` has been called for each page.
    /// Must not be called from one of the closures. Further calls have no effect.
    public func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        try? listener.close().wait()
        try? visitors.closeAll(on: listener.eventLoop).wait()
        try? loops.syncShutdownGracefully()
    }
}
