// BroadcastReceiver: receives the announcements that programs on the network broadcast over UDP.

import Foundation
import NIOCore
import NIOPosix

/// Receives UDP datagrams and the addresses of their senders. Other programs may listen on the same
/// port at the same time.
public final class BroadcastReceiver: Sendable {
    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: Channel

    /// The socket option that allows several programs to listen on the same port, so that each of
    /// them receives all broadcasts.
    private static var sharing: NIOBSDSocket.Option {
        #if canImport(Darwin)
            NIOBSDSocket.Option(rawValue: SO_REUSEPORT)
        #else
            .so_reuseaddr
        #endif
    }

    /// Starts receiving datagrams on all IPv4 interfaces of the computer.
    ///
    /// - Parameters:
    ///   - port: the UDP port.
    ///   - onDatagram: a closure that is called for each datagram, with its bytes and the numeric
    ///     address of its sender. The receiver calls this closure on its own thread.
    /// - Throws: an `IOError` if another program uses the port exclusively.
    public init(port: Int, onDatagram: @escaping @Sendable ([UInt8], String) -> Void) throws {
        do {
            channel = try DatagramBootstrap(group: loops)
                .channelOption(.socketOption(Self.sharing), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Broadcasts(onDatagram))
                    }
                }
                .bind(to: SocketAddress(ipAddress: "0.0.0.0", port: port))
                .wait()
        } catch {
            try? loops.syncShutdownGracefully()
            throw error
        }
    }

    /// Stops receiving. After this method has returned, the closure is no longer called. The
    /// closure must not call this method.
    public func close() {
        try? channel.close().wait()
        try? loops.syncShutdownGracefully()
    }

    /// The handler of the socket.
    private final class Broadcasts: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>

        private let receive: @Sendable ([UInt8], String) -> Void

        init(_ receive: @escaping @Sendable ([UInt8], String) -> Void) { self.receive = receive }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let datagram = unwrapInboundIn(data)
            guard let sender = datagram.remoteAddress.ipAddress else { return }
            receive(Array(datagram.data.readableBytesView), sender)
        }

        // The receiver sends no datagrams, so it can ignore network errors.
        func errorCaught(context: ChannelHandlerContext, error: Error) {}
    }
}
