// FrameDecoder: finds the frames in a stream of received bytes, which may be damaged (SPEC 2).

import CBridgeProtocol

/// Converts bytes to frames, one byte at a time. Damaged frames are discarded completely and
/// counted.
///
/// The decoder never stores more than one stuffed body, no matter how many bytes of noise separate
/// two delimiters.
public struct FrameDecoder: Sendable {
    /// The session whose frames are accepted. Frames of class CONNECT are always accepted (SPEC
    /// 2.1).
    public let session: UInt32
    /// The number of frames that were discarded because they were too long or too short, were not
    /// valid COBS, or had a wrong CRC.
    public private(set) var damagedFrames = 0

    private var stuffed: [UInt8] = []
    private var isOverlong = false

    /// Creates a decoder for frames of one session.
    public init(session: UInt32) {
        self.session = session
        stuffed.reserveCapacity(Self.stuffedMax)
    }

    /// Processes the next byte. If the byte completes an undamaged frame, returns the frame.
    public mutating func receive(_ byte: UInt8) -> Frame? {
        guard byte == UInt8(BRIDGE_DELIMITER) else {
            store(byte)
            return nil
        }
        return endFrame()
    }

    /// Processes `bytes`. Returns the undamaged frames that the bytes complete.
    public mutating func receive(_ bytes: some Sequence<UInt8>) -> [Frame] {
        bytes.compactMap { receive($0) }
    }

    private static let stuffedMax = Int(BRIDGE_FRAME_MAX) - 1

    private mutating func store(_ byte: UInt8) {
        if stuffed.count < Self.stuffedMax {
            stuffed.append(byte)
        } else {
            isOverlong = true
        }
    }

    private mutating func endFrame() -> Frame? {
        defer {
            stuffed.removeAll(keepingCapacity: true)
            isOverlong = false
        }
        if stuffed.isEmpty { return nil }
        if !isOverlong, let body = COBS.decode(stuffed),
            let frame = Frame(body: body, session: session)
        {
            return frame
        }
        damagedFrames += 1
        return nil
    }
}
