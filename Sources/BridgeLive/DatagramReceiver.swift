// DatagramReceiver: datagrams of other programs, by UDP.

import NIOCore
import NIOPosix
import Synchronization

/// Receives datagrams. What the closures do not take in time waits in the system, which drops what is
/// more than its buffer holds.
public final class DatagramReceiver: Sendable {
    /// The address and the port that are listened at.
    public let address: String

    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: Channel
    private let isClosed = Atomic(false)

    /// The largest datagram, in bytes.
    private static let size = 65_507

    /// Begins to receive.
    ///
    /// - Parameters:
    ///   - host: the IP address to listen at.
    ///   - port: the port; 0 for one that is free.
    ///   - interval: the time between two calls of `onInterval`, in milliseconds.
    ///   - onInterval: called regularly, on the same thread as `onDatagram`.
    ///   - onDatagram: receives the bytes of each datagram.
    /// - Throws: an error if the address is none of this computer, or its port is taken.
    public init(
        host: String, port: Int, every interval: Int64,
        onInterval: @escaping @Sendable () -> Void,
        onDatagram: @escaping @Sendable ([UInt8]) -> Void
    ) throws {
        do {
            channel = try DatagramBootstrap(group: loops)
                .channelOption(
                    .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.size)
                )
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Datagrams(onDatagram))
                    }
                }
                .bind(to: SocketAddress(ipAddress: host, port: port))
                .wait()
        } catch {
            try? loops.syncShutdownGracefully()
            throw error
        }
        address = "\(host):\(channel.localAddress?.port ?? port)"
        let delay = TimeAmount.milliseconds(interval)
        channel.eventLoop.scheduleRepeatedTask(initialDelay: delay, delay: delay) { _ in
            onInterval()
        }
    }

    /// Ends the reception, and returns when no closure is called any more. Must not be called from
    /// one of the closures. Further calls have no effect.
    public func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        try? channel.close().wait()
        try? loops.syncShutdownGracefully()
    }

    /// The handler of the socket.
    private final class Datagrams: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>

        private let receive: @Sendable ([UInt8]) -> Void

        init(_ receive: @escaping @Sendable ([UInt8]) -> Void) { self.receive = receive }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            receive(Array(unwrapInboundIn(data).data.readableBytesView))
        }

        // A datagram that was sent to somebody who does not listen is reported here; nothing is
        // sent, and one that fails is no reason to end.
        func errorCaught(context: ChannelHandlerContext, error: Error) {}
    }
}
