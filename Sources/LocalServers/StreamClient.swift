// StreamClient: receives the bytes that a server sends over TCP.

import NIOCore

/// A TCP connection to a server that only sends.
///
/// The connection calls its closures one after another on its own thread. While a closure is
/// running, the connection reads nothing.
public final class StreamClient: Sendable {
    private let connection: ClientConnection

    /// Starts opening the connection.
    ///
    /// - Parameters:
    ///   - host: the name or the address of the server.
    ///   - port: the TCP port.
    ///   - onOpen: a closure that is called when the connection is open.
    ///   - onBytes: a closure that is called with the received bytes, in parts of any size. The
    ///     closure returns a reason to close the connection, or nil to continue.
    ///   - onClose: a closure that is called once, with the reason, when the connection has ended
    ///     or could not be opened.
    public init(
        host: String, port: Int, onOpen: @escaping @Sendable () -> Void,
        onBytes: @escaping @Sendable ([UInt8]) -> String?,
        onClose: @escaping @Sendable (String) -> Void
    ) {
        let reason = ClosingReason()
        connection = ClientConnection(
            host: host, port: port, reason: reason,
            setUp: { channel in
                let bytes = StreamBytes(reason: reason, onOpen: onOpen, onBytes: onBytes)
                try channel.pipeline.syncOperations.addHandler(bytes)
            }, onClose: onClose)
    }

    /// Closes the connection. After this method has returned, the closures are no longer called.
    /// The closures must not call this method.
    public func close() { connection.close() }
}

/// Forwards the received bytes.
private final class StreamBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let reason: ClosingReason
    private let onOpen: @Sendable () -> Void
    private let onBytes: @Sendable ([UInt8]) -> String?

    init(
        reason: ClosingReason, onOpen: @escaping @Sendable () -> Void,
        onBytes: @escaping @Sendable ([UInt8]) -> String?
    ) {
        (self.reason, self.onOpen, self.onBytes) = (reason, onOpen, onBytes)
    }

    func channelActive(context: ChannelHandlerContext) { onOpen() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let end = onBytes(Array(unwrapInboundIn(data).readableBytesView)) else { return }
        reason.record(end)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        context.close(promise: nil)
    }
}
