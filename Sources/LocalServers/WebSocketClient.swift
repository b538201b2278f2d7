// WebSocketClient: connects to a server that provides a WebSocket.

import NIOCore
import NIOHTTP1
import NIOWebSocket

/// A WebSocket connection to a server.
///
/// The connection calls its closures one after another on its own thread. While a closure is
/// running, the connection reads nothing.
public final class WebSocketClient: Sendable {
    /// A received message.
    public enum Message: Sendable, Equatable {
        /// A text message.
        case text(String)
        /// A binary message, with only its number of bytes.
        case binary(count: Int)
    }

    /// The response to a message.
    public struct Answer: Sendable {
        /// The texts to send.
        public var texts: [String]
        /// The reason to close the connection; nil if the connection remains open.
        public var end: String?

        /// Creates an answer.
        public init(_ texts: [String] = [], end: String? = nil) {
            (self.texts, self.end) = (texts, end)
        }
    }

    private let connection: ClientConnection

    /// Starts opening the connection.
    ///
    /// - Parameters:
    ///   - host: the name or the address of the server.
    ///   - port: the TCP port.
    ///   - target: the path and the query of the request.
    ///   - limit: the maximum size of a message, in bytes. If a larger message arrives, the
    ///     connection is closed.
    ///   - onMessage: a closure that is called with each message and returns the answer to it.
    ///   - onClose: a closure that is called once, with the reason, when the connection has ended
    ///     or could not be opened.
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
        // The server's first messages may arrive together with its response.
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

    /// Sends a text message.
    public func send(_ text: String) {
        connection.send(WebSocketFrame(.text, ByteBuffer(string: text)))
    }

    /// Closes the connection. After this method has returned, the closures are no longer called.
    /// The closures must not call this method.
    public func close() { connection.close() }
}

extension WebSocketFrame {
    /// Creates a client frame whose bytes are masked (RFC 6455 5.3).
    fileprivate init(_ opcode: WebSocketOpcode, _ bytes: ByteBuffer) {
        self.init(fin: true, opcode: opcode, maskKey: .random(), data: bytes)
    }
}

/// Requests a WebSocket from the server.
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
            reason.record(
                "the server does not open a WebSocket, but responds with \(head.status.code)")
        }
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        reason.record("the server does not open a WebSocket (\(error))")
        context.close(promise: nil)
    }
}

/// Forwards the messages from the server, and sends the answers to messages and pings.
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
            handle(.text(text), context)
        case .binary: handle(.binary(count: bytes.readableBytes), context)
        case .ping: send(WebSocketFrame(.pong, bytes), context)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    private func handle(_ message: WebSocketClient.Message, _ context: ChannelHandlerContext) {
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
            end(context, "the server has violated the WebSocket protocol (\(error))")
        default: context.close(promise: nil)
        }
    }

    private func end(_ context: ChannelHandlerContext, _ why: String) {
        reason.record(why)
        context.close(promise: nil)
    }
}
