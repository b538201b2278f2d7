// StreamClient: the bytes that a server sends, by TCP.

import NIOCore

/// A connection to a server that only sends.
///
/// The closures are called one after another on the thread of the connection. While one lasts,
/// nothing is read.
public final class StreamClient: Sendable {
    private let connection: ClientConnection

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - host: the name or the address of the server's computer.
    ///   - port: the TCP port.
    ///   - onOpen: called when the connection is there.
    ///   - onBytes: receives the bytes in parts of any size. Returns the reason why the connection
    ///     has to end; nil if it goes on.
    ///   - onClose: called once, when the connection has ended or could not be made, with the
    ///     reason.
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

    /// Closes the connection, and returns when no closure is called any more. Must not be called
    /// from one of the closures.
    public func close() { connection.close() }
}

/// Passes on what arrives.
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
        reason.note(end)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        context.close(promise: nil)
    }
}
