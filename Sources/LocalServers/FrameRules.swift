// FrameRules: checks a client's frames by the rules of RFC 6455 that NIO's decoder does not check.

import NIOCore
import NIOWebSocket

/// Forwards the valid frames of a client, and reports any other frame as a protocol error.
final class FrameRules: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    /// A frame that is not masked (RFC 6455 5.1), that has a reserved bit set (5.2), or whose type
    /// is unknown (5.2).
    struct Violation: Error {}

    private static let opcodes: Set<WebSocketOpcode> = [
        .continuation, .text, .binary, .connectionClose, .ping, .pong,
    ]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        // The decoder returns no mask for an empty frame, even if the frame is masked.
        let isMasked = frame.maskKey != nil || frame.length == 0
        let hasReservedBits = frame.rsv1 || frame.rsv2 || frame.rsv3
        guard isMasked, !hasReservedBits, Self.opcodes.contains(frame.opcode) else {
            return context.fireErrorCaught(Violation())
        }
        context.fireChannelRead(data)
    }
}
