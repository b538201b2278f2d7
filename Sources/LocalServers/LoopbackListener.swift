// LoopbackListener: accepts connections from programs on this computer.

import NIOCore
import NIOPosix
import Synchronization

/// The refusal of the operating system to let a server listen on a port.
package struct PortRefusal: Error {
    /// The error code, such as `EADDRINUSE`.
    package let code: Int32
}

/// A TCP listener at 127.0.0.1 and its connections, on a separate thread.
final class LoopbackListener: Sendable {
    /// The port on which the listener accepts connections.
    let port: Int
    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: Channel
    private let connections: AcceptedConnections
    private let isClosed = Atomic(false)

    /// Starts accepting connections.
    ///
    /// - Parameter port: the port on which to listen; 0 for any free port.
    /// - Throws: ``PortRefusal`` if the port cannot be used.
    init(port: Int, _ connections: AcceptedConnections) throws {
        self.connections = connections
        do {
            channel = try ServerBootstrap(group: loops)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(LoopbackGate())
                        try connections.admit(channel)
                    }
                }
                .bind(to: SocketAddress(ipAddress: "127.0.0.1", port: port))
                .wait()
        } catch {
            try? loops.syncShutdownGracefully()
            throw (error as? IOError).map { PortRefusal(code: $0.errnoCode) } ?? error
        }
        self.port = channel.localAddress?.port ?? port
    }

    /// Calls a closure regularly on the thread of the connections, until the listener is closed.
    func every(_ interval: TimeAmount, _ perform: @escaping @Sendable () -> Void) {
        channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            perform()
        }
    }

    /// Closes all connections and the port. This method must not be called on the thread of the
    /// connections. Further calls have no effect.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        try? channel.close().wait()
        try? connections.closeAll(on: channel.eventLoop).wait()
        try? loops.syncShutdownGracefully()
    }
}
