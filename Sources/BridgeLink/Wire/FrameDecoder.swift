// FrameDecoder: finds frames in any stream of received bytes (SPEC 2).

import CBridgeProtocol

/// Converts bytes to frames, one byte at a time. Damaged frames are discarded completely and
/// counted.
///
/// The decoder never stores more than one stuffed body, however many bytes of noise are between two
/// delimiters.
public struct FrameDecoder: Sendable {
    /// The session whose frames are accepted; class CONNECT is always accepted (SPEC 2.1).
    public let session: UInt32
    /// The number of frames that were discarded because they were too long, too short, not valid
    /// COBS, or had a wrong CRC.
    public private(set) var damagedFrames = 0

    private var stuffed: [UInt8] = []
    private var isOverlong = false

    /// Creates a decoder for frames of one session.
    public init(session: UInt32) {
        self.session = session
        stuffed.reserveCapacity(Self.stuffedMax)
    }

    /// Processes the next byte. Returns the frame that the byte completes, if it is undamaged.
    public mutating func receive(_ byte: UInt8) -> Frame? {
        guard byte == UInt8(BRIDGE_DELIMITER) else {
            store(byte)
            return nil
        }
        return endFrame()
    }

    /// Processes `bytes` and returns the undamaged frames that they complete.
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
