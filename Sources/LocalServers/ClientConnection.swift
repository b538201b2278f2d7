// ClientConnection: a TCP connection to the server of another program.

import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The reason why a connection has ended. Only the first reason is kept.
final class ClosingReason: Sendable {
    /// The reason that is recorded if the server does not read fast enough.
    static let unread = "the server does not read fast enough"

    private let recorded = Mutex<String?>(nil)

    /// Records a reason, unless one has already been recorded.
    func record(_ reason: String) { recorded.withLock { $0 = $0 ?? reason } }

    var text: String { recorded.withLock { $0 ?? "the connection was closed" } }
}

/// A TCP connection that is opened in the background and sends messages.
final class ClientConnection: Sendable {
    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: EventLoopFuture<Channel>
    private let reason: ClosingReason

    /// The maximum time until a connection is open.
    private static let patience = TimeAmount.seconds(5)

    /// The socket option for the idle time before the first keep-alive probe, in seconds. If a
    /// computer does not respond to the probes, the connection is considered lost after 8 s.
    private static var idleTime: NIOBSDSocket.Option {
        #if canImport(Darwin)
            NIOBSDSocket.Option(rawValue: TCP_KEEPALIVE)
        #else
            NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)
        #endif
    }

    /// Starts opening the connection.
    ///
    /// - Parameters:
    ///   - reason: the object that stores the reason why the connection has ended.
    ///   - setUp: a closure that adds the handlers to a channel.
    ///   - onClose: a closure that is called once, with the reason, when the connection has ended
    ///     or could not be opened.
    init(
        host: String, port: Int, reason: ClosingReason,
        setUp: @escaping @Sendable (Channel) throws -> Void,
        onClose: @escaping @Sendable (String) -> Void
    ) {
        self.reason = reason
        channel = ClientBootstrap(group: loops)
            .connectTimeout(Self.patience)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(Self.idleTime), value: 5)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 1)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 3)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try setUp(channel) }
            }
            .connect(host: host, port: port)
        channel.whenSuccess { channel in
            channel.closeFuture.whenComplete { _ in onClose(reason.text) }
        }
        channel.whenFailure { onClose(Self.description(of: $0)) }
    }

    /// Sends a message of a type that the handlers of the channel accept. Closes the connection if
    /// the server does not read fast enough.
    func send(_ message: some Sendable) {
        channel.whenSuccess { [reason] channel in
            guard channel.isWritable else {
                reason.record(ClosingReason.unread)
                return channel.close(promise: nil)
            }
            channel.writeAndFlush(message, promise: nil)
        }
    }

    /// Closes the connection. After this method has returned, the closures are no longer called.
    /// The closures must not call this method.
    func close() {
        channel.whenSuccess { $0.close(promise: nil) }
        try? loops.syncShutdownGracefully()
    }

    /// Returns a short description of the last failed connection attempt.
    private static func description(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let last = error.connectionErrors.last { return description(of: last.error) }
            return "there is no computer with the name \(error.host)"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: return "the computer does not answer"
        default: return "\(error)"
        }
    }
}
