// FrameEncoder: converts frames to wire bytes.

import CBridgeProtocol

/// Converts frames of one session to wire bytes.
public struct FrameEncoder: Sendable {
    /// The session id, which seeds the CRC (SPEC 2.1).
    public let session: UInt32

    /// Creates an encoder for a session.
    public init(session: UInt32) {
        self.session = session
    }

    /// Returns the stuffed body and the delimiter of a frame, at most `FRAME_MAX` bytes.
    public func encode(_ frame: Frame) -> [UInt8] {
        COBS.encode(frame.body(session: session)) + [UInt8(BRIDGE_DELIMITER)]
    }
}
