// FrameWitness: an observer of both ends of a line, which records the frames that are sent and the
// frames that are received intact.

import BridgeLink
import CBridgeProtocol

struct FrameWitness {
    private var session: UInt32
    private var sender: FrameDecoder
    private var receiver: FrameDecoder
    private var pieces: Set<[UInt8]> = []
    private var piece: [UInt8] = []
    /// The number of frames that were received intact but never sent, because the CRC did not
    /// detect their damage.
    private(set) var collisions = 0

    init() {
        session = 0
        sender = FrameDecoder(session: 0)
        receiver = sender
    }

    /// Begins another session. The witness continues to recognize the frames that are in transit.
    mutating func begin(session: UInt32) {
        self.session = session
        sender = FrameDecoder(session: session)
        receiver = sender
    }

    /// Records sent bytes. Returns the frames that the bytes contain.
    mutating func recordSent(_ bytes: [UInt8]) -> [Frame] {
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

    /// Records received bytes that the other end has not sent.
    mutating func recordEcho(_ bytes: [UInt8]) { _ = receiver.receive(bytes) }

    /// Records received bytes. Returns the frames that were received intact.
    mutating func recordArrived(_ bytes: [UInt8]) -> [Frame] {
        let frames = receiver.receive(bytes)
        collisions += frames.count { frame in
            let wire = FrameEncoder(session: session).encode(frame)
            return !pieces.contains(Array(wire.dropLast()))
        }
        return frames
    }
}
