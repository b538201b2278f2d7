// FrameRules: what RFC 6455 demands of a client's frames and NIO's decoder does not check.

import NIOCore
import NIOWebSocket

/// Passes on frames that a client may send. Anything else is a protocol error.
final class FrameRules: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    /// A frame that is not masked (RFC 6455 5.1), has a bit set that no extension has given a
    /// meaning (5.2), or is of no known type (5.2).
    struct Violation: Error {}

    private static let opcodes: Set<WebSocketOpcode> = [
        .continuation, .text, .binary, .connectionClose, .ping, .pong,
    ]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        // The decoder gives a frame without bytes no mask.
        let isMasked = frame.maskKey != nil || frame.length == 0
        let hasReservedBits = frame.rsv1 || frame.rsv2 || frame.rsv3
        guard isMasked, !hasReservedBits, Self.opcodes.contains(frame.opcode) else {
            return context.fireErrorCaught(Violation())
        }
        context.fireChannelRead(data)
    }
}
