// BroadcastReceiver: what programs on the network make known of themselves, by UDP.

import Foundation
import NIOCore
import NIOPosix

/// Receives datagrams at a port that other programs may listen at too, with the addresses of their
/// senders.
public final class BroadcastReceiver: Sendable {
    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: Channel

    /// The option that lets several programs listen at a port, of which each gets all broadcasts.
    private static var sharing: NIOBSDSocket.Option {
        #if canImport(Darwin)
            NIOBSDSocket.Option(rawValue: SO_REUSEPORT)
        #else
            .so_reuseaddr
        #endif
    }

    /// Begins to receive from any IPv4 network of the computer.
    ///
    /// - Parameters:
    ///   - port: the UDP port.
    ///   - onDatagram: receives the bytes of each datagram and its sender's address, as numbers.
    ///     Called on a thread of the receiver.
    /// - Throws: an error if another program keeps the port for itself.
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

    /// Ends the reception, and returns when the closure is not called any more. Must not be called
    /// from it.
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

        // Nothing is sent, so that no error of the network concerns the receiver.
        func errorCaught(context: ChannelHandlerContext, error: Error) {}
    }
}
