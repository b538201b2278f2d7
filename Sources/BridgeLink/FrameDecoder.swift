// FrameDecoder: finds frames in whatever bytes arrive (SPEC 2).

import CBridgeProtocol

/// Turns bytes into frames, one byte at a time. Damaged frames are dropped whole and counted.
///
/// It never holds more than one stuffed body, however long the noise between two delimiters is.
public struct FrameDecoder: Sendable {
    /// The session whose frames are taken; class CONNECT is taken always (SPEC 2.1).
    public let session: UInt32
    /// Frames dropped since the beginning: too long, too short, not COBS, or a wrong CRC.
    public private(set) var damagedFrames = 0

    private var stuffed: [UInt8] = []
    private var isOverlong = false

    public init(session: UInt32) {
        self.session = session
        stuffed.reserveCapacity(Self.stuffedMax)
    }

    /// Takes the next byte. Returns the frame that it ended, if that is whole.
    public mutating func receive(_ byte: UInt8) -> Frame? {
        guard byte == UInt8(BRIDGE_DELIMITER) else {
            store(byte)
            return nil
        }
        return endFrame()
    }

    /// Takes `bytes` and returns the whole frames that ended in them.
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
