// ClientConnection: a TCP connection to another program's server.

import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The first reason why a connection has ended.
final class ClosingReason: Sendable {
    /// The reason where a server could have more sent to it than it reads.
    static let unread = "the other side does not read what is sent"

    private let noted = Mutex<String?>(nil)

    /// Notes a reason, unless one is known already.
    func note(_ reason: String) { noted.withLock { $0 = $0 ?? reason } }

    var text: String { noted.withLock { $0 ?? "the connection was closed" } }
}

/// A TCP connection that is made in the background, and everything that is sent on it.
final class ClientConnection: Sendable {
    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: EventLoopFuture<Channel>
    private let reason: ClosingReason

    /// The time within which a server must accept a connection.
    private static let patience = TimeAmount.seconds(5)

    /// The option for the time of silence after which the system asks whether the other computer is
    /// there, in seconds. It is given up after 8 s.
    private static var idleTime: NIOBSDSocket.Option {
        #if canImport(Darwin)
            NIOBSDSocket.Option(rawValue: TCP_KEEPALIVE)
        #else
            NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)
        #endif
    }

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - reason: receives the reason why the connection has ended.
    ///   - setUp: adds the handlers of a channel.
    ///   - onClose: called once, when the connection has ended or could not be made.
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

    /// Sends what the handlers of the channel accept. A server that does not read is let go.
    func send(_ message: some Sendable) {
        channel.whenSuccess { [reason] channel in
            guard channel.isWritable else {
                reason.note(ClosingReason.unread)
                return channel.close(promise: nil)
            }
            channel.writeAndFlush(message, promise: nil)
        }
    }

    /// Closes the connection, and returns when no closure is called any more. Must not be called
    /// from one of the closures.
    func close() {
        channel.whenSuccess { $0.close(promise: nil) }
        try? loops.syncShutdownGracefully()
    }

    /// Returns the reason of the last attempt to connect, without what only a programmer reads.
    private static func description(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let last = error.connectionErrors.last { return description(of: last.error) }
            return "there is no computer with the name \(error.host)"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: return "it does not answer"
        default: return "\(error)"
        }
    }
}
