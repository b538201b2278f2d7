// A witness of both ends of a line: what was sent between two delimiters, and what arrived intact.

import BridgeLink
import CBridgeProtocol

struct FrameWitness {
    private var session: UInt32
    private var sender: FrameDecoder
    private var receiver: FrameDecoder
    private var pieces: Set<[UInt8]> = []
    private var piece: [UInt8] = []
    /// The number of frames that arrived intact and were never sent: damage that the CRC missed.
    private(set) var collisions = 0

    init() {
        session = 0
        sender = FrameDecoder(session: 0)
        receiver = sender
    }

    /// Begins another session. What is in transit stays known.
    mutating func begin(session: UInt32) {
        self.session = session
        sender = FrameDecoder(session: session)
        receiver = sender
    }

    /// Notes bytes that are sent. Returns the frames in them.
    mutating func noteSent(_ bytes: [UInt8]) -> [Frame] {
        for byte in bytes {
            if byte == UInt8(BRIDGE_DELIMITER) {
                pieces.insert(piece)
                piece = []
            } else {
                piece.append(byte)
            }
        }
        return sender.receive(bytes)
    }

    /// Notes bytes that arrive although nobody at the other end has sent them.
    mutating func noteEcho(_ bytes: [UInt8]) { _ = receiver.receive(bytes) }

    /// Notes bytes that arrive. Returns the frames that arrived intact.
    mutating func noteArrived(_ bytes: [UInt8]) -> [Frame] {
        let frames = receiver.receive(bytes)
        collisions += frames.count { frame in
            let wire = FrameEncoder(session: session).encode(frame)
            return !pieces.contains(Array(wire.dropLast()))
        }
        return frames
    }
}
