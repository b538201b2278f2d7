// PageSocket: the WebSocket of a page.

import NIOCore
import NIOWebSocket

/// Forwards the text messages from a page, and sends messages to the page.
///
/// Messages from `send` are sent in order. Messages from `sendLatest`, such as positions, are sent
/// only when the page is ready to read them, so that the page receives the latest message of each
/// kind. If too many bytes are queued for a page, its connection is closed. While ``isPaused`` is
/// true, no messages from the page are read, so the page must wait.
final class PageSocket: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    var receive: ((String) -> Void)?
    var onClose: (() -> Void)?
    /// A closure that is called when the page has read enough for more messages to be sent.
    var onWritable: (() -> Void)?
    /// True while no messages are read from the page, because earlier messages have not been
    /// processed.
    var isPaused = false {
        didSet { if !isPaused, isReadPending { resume() } }
    }
    private var isReadPending = false
    private let limits: PageLimits
    private var context: ChannelHandlerContext?
    private var backlog = 0
    private var isClosing = false
    /// The time for which a page can read its last messages before the connection is closed.
    private static let closingTime = TimeAmount.seconds(2)
    /// The latest queued message of each kind from `sendLatest`, in the order in which the kinds
    /// were queued.
    private var positions: [(kind: String, text: String)] = []

    init(_ limits: PageLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        onClose?()
        (receive, onClose, onWritable) = (nil, nil, nil)
        context.fireChannelInactive()
    }

    // MARK: Sending

    /// True if the page reads fast enough for more messages to be sent.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Transfers all further messages to and from a stream socket; see ``SocketPipe``.
    func join(_ descriptor: NIOBSDSocket.Handle) {
        guard let context else { return }
        SocketPipe(self).open(descriptor, on: context.eventLoop)
    }

    func send(_ text: String) { send(.text, ByteBuffer(string: text)) }

    func sendLatest(_ text: String, of kind: String) {
        guard let context, !context.channel.isWritable else { return send(text) }
        if let index = positions.firstIndex(where: { $0.kind == kind }) {
            positions[index].text = text
        } else {
            positions.append((kind, text))
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        while context.channel.isWritable, !positions.isEmpty {
            send(positions.removeFirst().text)
        }
        if context.channel.isWritable { onWritable?() }
        context.fireChannelWritabilityChanged()
    }

    private func send(_ opcode: WebSocketOpcode, _ bytes: ByteBuffer) {
        guard let context, !isClosing else { return }
        let size = bytes.readableBytes
        guard backlog + size <= limits.backlog else {
            isClosing = true
            return context.close(promise: nil)
        }
        backlog += size
        let frame = WebSocketFrame(fin: true, opcode: opcode, data: bytes)
        context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in
            self.backlog -= size
        }
    }

    /// Sends a close frame with the given code, and closes the connection.
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
        // If the page does not read, the frame is never sent completely, so the connection is
        // closed after a time limit.
        channel.eventLoop.scheduleTask(in: Self.closingTime) { channel.close(promise: nil) }
    }

    // MARK: Receiving

    func read(context: ChannelHandlerContext) {
        guard isPaused else { return context.read() }
        isReadPending = true
    }

    private func resume() {
        isReadPending = false
        context?.read()
    }

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

    /// Returns the code for the answer to a close frame: the code of the close frame, if the frame
    /// is valid.
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

    /// Returns whether a program may send the given code, according to RFC 6455 7.4 and the
    /// registry of IANA.
    private static func isPossible(_ code: UInt16) -> Bool {
        [1000...1003, 1007...1014, 3000...4999].contains { $0.contains(code) }
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength,
            NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            if let text = limits.tooLarge { send(text) }
            close(.messageTooLarge)
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error, is FrameRules.Violation:
            close(.protocolError)
        default: context.close(promise: nil)
        }
    }
}
