// PageSocket: the WebSocket of a page.

import NIOCore
import NIOWebSocket

/// Passes on the text messages of a page, and sends what the page is told.
///
/// Answers are sent in order, all of them. Positions are sent when the page reads: of each kind, it
/// receives the newest. A page for which too much waits is let go.
final class PageSocket: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    var receive: ((String) -> Void)?
    var onClose: (() -> Void)?
    private let backlogMax: Int
    private var context: ChannelHandlerContext?
    private var backlog = 0
    private var isClosing = false
    /// The newest positions that wait, in the order of their first.
    private var positions: [(kind: String, text: String)] = []

    init(backlogMax: Int) { self.backlogMax = backlogMax }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        onClose?()
        (receive, onClose) = (nil, nil)
        context.fireChannelInactive()
    }

    // MARK: Sending

    func send(_ text: String) { send(.text, ByteBuffer(string: text)) }

    func sendLatest(_ text: String, of kind: String) {
        guard let context, !context.channel.isWritable else { return send(text) }
        if let place = positions.firstIndex(where: { $0.kind == kind }) {
            positions[place].text = text
        } else {
            positions.append((kind, text))
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        while context.channel.isWritable, !positions.isEmpty {
            send(positions.removeFirst().text)
        }
        context.fireChannelWritabilityChanged()
    }

    private func send(_ opcode: WebSocketOpcode, _ bytes: ByteBuffer) {
        guard let context, !isClosing else { return }
        let size = bytes.readableBytes
        guard backlog + size <= backlogMax else {
            isClosing = true
            return context.close(promise: nil)
        }
        backlog += size
        let frame = WebSocketFrame(fin: true, opcode: opcode, data: bytes)
        context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in
            self.backlog -= size
        }
    }

    /// Says that the connection ends and why, and closes it.
    func close(_ code: WebSocketErrorCode) {
        guard let context, !isClosing else { return }
        isClosing = true
        var bytes = context.channel.allocator.buffer(capacity: 2)
        bytes.write(webSocketErrorCode: code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: bytes)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        let frame = unwrapInboundIn(data)
        var bytes = frame.unmaskedData
        switch frame.opcode {
        case .text:
            do {
                receive?(try bytes.readUTF8ValidatedString(length: bytes.readableBytes) ?? "")
            } catch {
                close(.dataInconsistentWithMessage)
            }
        case .ping: send(.pong, bytes)
        case .connectionClose: close(Self.answer(toClosing: &bytes))
        case .binary: close(.unacceptableData)
        default: break
        }
    }

    /// The code that answers a frame of closing: its own, if the frame is right.
    private static func answer(toClosing bytes: inout ByteBuffer) -> WebSocketErrorCode {
        guard bytes.readableBytes > 0 else { return .normalClosure }
        guard let code = bytes.readInteger(as: UInt16.self), isPossible(code) else {
            return .protocolError
        }
        guard (try? bytes.readUTF8ValidatedString(length: bytes.readableBytes)) != nil else {
            return .dataInconsistentWithMessage
        }
        return WebSocketErrorCode(codeNumber: Int(code))
    }

    /// Returns whether a program may send this code: RFC 6455 7.4 and IANA's registry.
    private static func isPossible(_ code: UInt16) -> Bool {
        [1000...1003, 1007...1014, 3000...4999].contains { $0.contains(code) }
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: close(.messageTooLarge)
        case NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            close(.messageTooLarge)
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error, is FrameRules.Violation:
            close(.protocolError)
        default: context.close(promise: nil)
        }
    }
}
