// Who has seen both ends of a line: what was sent between two delimiters, and what arrived whole.

import BridgeLink
import CBridgeProtocol

struct FrameWitness {
    private var session: UInt32
    private var sender: FrameDecoder
    private var receiver: FrameDecoder
    private var pieces: Set<[UInt8]> = []
    private var piece: [UInt8] = []
    /// Frames that arrived whole and were never sent: damage that the CRC missed.
    private(set) var collisions = 0

    init() {
        session = 0
        sender = FrameDecoder(session: 0)
        receiver = sender
    }

    /// Another session begins; what is under way stays known.
    mutating func begin(session: UInt32) {
        self.session = session
        sender = FrameDecoder(session: session)
        receiver = sender
    }

    /// Returns the frames that are sent.
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

    /// Bytes arrive that nobody at the other end has sent.
    mutating func noteEcho(_ bytes: [UInt8]) { _ = receiver.receive(bytes) }

    /// Returns the frames that arrived whole.
    mutating func noteArrived(_ bytes: [UInt8]) -> [Frame] {
        let frames = receiver.receive(bytes)
        collisions += frames.count { frame in
            let wire = FrameEncoder(session: session).encode(frame)
            return !pieces.contains(Array(wire.dropLast()))
        }
        return frames
    }
}
