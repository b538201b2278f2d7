// WebSocketClient: the messages of a server, through a WebSocket.

import NIOCore
import NIOHTTP1
import NIOWebSocket

/// A WebSocket to a server.
///
/// The closures are called one after another on the thread of the connection. While one lasts,
/// nothing is read.
public final class WebSocketClient: Sendable {
    /// A message of the server.
    public enum Message: Sendable, Equatable {
        /// A text.
        case text(String)
        /// Bytes, so many.
        case binary(count: Int)
    }

    /// The consequences of a message.
    public struct Answer: Sendable {
        /// The texts to send.
        public var texts: [String]
        /// The reason why the WebSocket has to end; nil if it goes on.
        public var end: String?

        /// Makes an answer.
        public init(_ texts: [String] = [], end: String? = nil) {
            (self.texts, self.end) = (texts, end)
        }
    }

    private let connection: ClientConnection

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - host: the name or the address of the server's computer.
    ///   - port: the TCP port.
    ///   - target: the path and the query of the request.
    ///   - limit: the greatest size of a message, in bytes. A greater one ends the connection.
    ///   - onMessage: receives each message, and returns the answer.
    ///   - onClose: called once, when the WebSocket has ended or could not be opened, with the
    ///     reason.
    public init(
        host: String, port: Int, target: String, limit: Int,
        onMessage: @escaping @Sendable (Message) -> Answer,
        onClose: @escaping @Sendable (String) -> Void
    ) {
        let name = host.contains(":") ? "[\(host)]" : host
        let reason = ClosingReason()
        connection = ClientConnection(
            host: host, port: port, reason: reason,
            setUp: { channel in
                let request = UpgradeRequest(
                    host: "\(name):\(port)", target: target, reason: reason)
                try Self.addHandlers(to: channel, request, limit: limit) {
                    WebSocketMessages(reason: reason, onMessage: onMessage)
                }
            }, onClose: onClose)
    }

    private static func addHandlers(
        to channel: Channel, _ request: UpgradeRequest, limit: Int,
        messages: @escaping @Sendable () -> WebSocketMessages
    ) throws {
        let upgrader = NIOWebSocketClientUpgrader(
            maxFrameSize: limit, automaticErrorHandling: false
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers([
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024,
                        maxAccumulatedFrameSize: limit),
                    messages(),
                ])
            }
        }
        let bound = NIOLoopBound(request, eventLoop: channel.eventLoop)
        let pipeline = channel.pipeline.syncOperations
        // What the server sends at once may arrive together with its answer.
        try pipeline.addHTTPClientHandlers(
            leftOverBytesStrategy: .forwardBytes,
            withClientUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in
                    context.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
                }
            ))
        try pipeline.addHandler(request)
    }

    /// Sends a text.
    public func send(_ text: String) {
        connection.send(WebSocketFrame(.text, ByteBuffer(string: text)))
    }

    /// Closes the connection, and returns when no closure is called any more. Must not be called
    /// from one of the closures.
    public func close() { connection.close() }
}

extension WebSocketFrame {
    /// Makes a frame of a client, whose bytes are masked (RFC 6455 5.3).
    fileprivate init(_ opcode: WebSocketOpcode, _ bytes: ByteBuffer) {
        self.init(fin: true, opcode: opcode, maskKey: .random(), data: bytes)
    }
}

/// Asks the server for a WebSocket.
private final class UpgradeRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let host: String
    private let target: String
    private let reason: ClosingReason

    init(host: String, target: String, reason: ClosingReason) {
        (self.host, self.target, self.reason) = (host, target, reason)
    }

    func channelActive(context: ChannelHandlerContext) {
        let headers: HTTPHeaders = ["Host": host, "Content-Length": "0"]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            reason.note("it opens no WebSocket, and answers with \(head.status.code)")
        }
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        reason.note("it opens no WebSocket (\(error))")
        context.close(promise: nil)
    }
}

/// Passes on the messages of a server, and answers them and its pings.
private final class WebSocketMessages: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let reason: ClosingReason
    private let onMessage: @Sendable (WebSocketClient.Message) -> WebSocketClient.Answer

    init(
        reason: ClosingReason,
        onMessage: @escaping @Sendable (WebSocketClient.Message) -> WebSocketClient.Answer
    ) {
        (self.reason, self.onMessage) = (reason, onMessage)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        var bytes = frame.unmaskedData
        switch frame.opcode {
        case .text:
            guard let text = try? bytes.readUTF8ValidatedString(length: bytes.readableBytes) else {
                return end(context, "a text of the WebSocket is not UTF-8")
            }
            take(.text(text), context)
        case .binary: take(.binary(count: bytes.readableBytes), context)
        case .ping: send(WebSocketFrame(.pong, bytes), context)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    private func take(_ message: WebSocketClient.Message, _ context: ChannelHandlerContext) {
        let answer = onMessage(message)
        for text in answer.texts {
            send(WebSocketFrame(.text, ByteBuffer(string: text)), context)
        }
        if let why = answer.end { end(context, why) }
    }

    private func send(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        guard context.channel.isWritable else {
            return end(context, ClosingReason.unread)
        }
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength,
            NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge:
            end(context, "a message of the WebSocket is too long")
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            end(context, "the WebSocket has sent what it must not (\(error))")
        default: context.close(promise: nil)
        }
    }

    private func end(_ context: ChannelHandlerContext, _ why: String) {
        reason.note(why)
        context.close(promise: nil)
    }
}
