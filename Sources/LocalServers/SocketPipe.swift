// SocketPipe: connects the WebSocket of a page to a stream socket of this process.

import NIOCore
import NIOPosix

/// Transfers messages between a WebSocket and a stream socket. In the stream, each message follows
/// its length in four bytes. Either socket is read only while the other socket accepts more bytes,
/// so a page that does not read, or that sends too fast, delays only itself.
final class SocketPipe: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private let page: PageSocket
    private var context: ChannelHandlerContext?
    /// The messages that arrived before the stream socket was ready.
    private var early: [String] = []
    private var isOver = false
    private var isReadPending = false
    private var isFlushPending = false

    /// Creates a pipe that receives all further messages from a page.
    init(_ page: PageSocket) {
        self.page = page
        page.isPaused = true
        page.receive = { [weak self] in self?.send($0) }
        page.onClose = { [weak self] in self?.end() }
        page.onWritable = { [weak self] in self?.resume() }
    }

    /// Connects the pipe to a stream socket, which the pipe closes when it ends. This method must
    /// be called on the thread of the event loop.
    func open(_ descriptor: NIOBSDSocket.Handle, on loop: any EventLoop) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteToMessageHandler(MessageDecoder()), bound.value,
                    ])
                }
            }
            .withConnectedSocket(descriptor)
            .whenFailure { _ in bound.value.page.close(.unexpectedServerError) }
    }

    // MARK: To the stream socket

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        guard !isOver else { return context.close(promise: nil) }
        let texts = early
        early = []
        texts.forEach(send)
        page.isPaused = !context.channel.isWritable
    }

    private func send(_ text: String) {
        guard let context else { return early.append(text) }
        let count = text.utf8.count
        var bytes = context.channel.allocator.buffer(capacity: 4 + count)
        bytes.writeInteger(UInt32(count))
        bytes.writeString(text)
        context.write(wrapOutboundOut(bytes), promise: nil)
        guard !isFlushPending else { return }
        isFlushPending = true
        context.eventLoop.assumeIsolated().execute { self.flush() }
    }

    /// Writes all messages that were received together, with a single system call. The pipe must be
    /// faster than the reader of the stream socket: otherwise, the reader cannot detect that a page
    /// sends faster than its messages are handled.
    private func flush() {
        isFlushPending = false
        context?.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        page.isPaused = !context.channel.isWritable
    }

    private func end() {
        isOver = true
        context?.close(promise: nil)
    }

    // MARK: To the page

    func read(context: ChannelHandlerContext) {
        guard page.isWritable else {
            isReadPending = true
            return
        }
        context.read()
    }

    private func resume() {
        guard isReadPending else { return }
        isReadPending = false
        context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        page.send(String(buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        page.close(.normalClosure)
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        context.close(promise: nil)
    }
}

/// Divides the bytes of a stream socket into messages.
private struct MessageDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    mutating func decode(
        context: ChannelHandlerContext, buffer: inout ByteBuffer
    ) -> DecodingState {
        let size = MemoryLayout<UInt32>.size
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self),
            let message = buffer.getSlice(
                at: buffer.readerIndex + size, length: Int(length))
        else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: size + Int(length))
        context.fireChannelRead(wrapInboundOut(message))
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) -> DecodingState {
        decode(context: context, buffer: &buffer)
    }
}
