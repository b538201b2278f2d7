// The delays between a host and its board: when bytes that are handed over are released.

import BridgeLink
import Foundation

/// The delays of a line, in microseconds. The time of the bytes on the wire comes on top.
public struct LineDelays {
    public enum Kind: Sendable {
        /// A USB adapter: bytes of both directions are released at the edges of frames of 1 ms.
        case usb
        /// Two processes on a busy machine: a delay of 40 us plus an exponential one of 45 us on
        /// average each way, and one time in a hundred a stall of up to 8 ms.
        case pty
        /// A board's own USB at full speed: what was handed over before a frame of 1 ms leaves at its
        /// edge, in packets of 64 bytes, one after the other; the computer asks for answers again and
        /// again within a frame, beside what else is on the bus.
        case ownUSB
        /// Two processes on a desktop: bytes reach the host later than the board, and one frame in
        /// twelve meets an end that stalls for 1 to 4 ms, together with everything behind it.
        case desktop
    }

    private let kind: Kind
    private let isToHost: Bool
    /// The offset of the frame edges of a USB adapter, the same in both directions of a board.
    private let phase: Microseconds
    /// The mean time until a process on a desktop is woken, in microseconds.
    private let meanDelay: Double
    /// The number of portions that make up twelve frames: the host receives byte by byte.
    private let portions: Int
    private var random: SeededGenerator

    private static let frame: Microseconds = 1_000
    private static let packet = 64
    /// The bits of a packet beside those of its bytes, and the bits that USB has in a microsecond.
    private static let (packetBits, bitsPerMicrosecond) = (13 * 8, 12)
    /// The time until the computer has asked, and has the answer.
    private static let answerTime: ClosedRange<Microseconds> = 20...120
    private var answer: (from: Microseconds, end: Microseconds) = (-1, 0)
    /// The time until which USB is taken by packets that have been handed over.
    private var taken: Microseconds = 0
    private static let stall = 0.0...8_000.0
    private static let desktopStall = 1_000.0...4_000.0

    public init(_ kind: Kind, seed: UInt64, toHost: Bool = false) {
        self.kind = kind
        isToHost = toHost
        meanDelay = toHost ? 150 : 45
        portions = toHost ? 240 : 12
        random = SeededGenerator(seed: seed)
        phase = .random(in: 0..<Self.frame, using: &random)
    }

    /// Returns the time at which a portion that is handed over at `time` is released.
    public mutating func release(of time: Microseconds) -> Microseconds {
        switch kind {
        case .ownUSB where isToHost: answerEnd(of: time)
        case .usb, .ownUSB: nextEdge(after: time - 1)
        case .pty: time + 40 + delay(45, stallOneIn: 100, Self.stall)
        case .desktop: time + 40 + delay(meanDelay, stallOneIn: portions, Self.desktopStall)
        }
    }

    /// Returns the time at which the computer has what a board had at `time`, which is one packet.
    private mutating func answerEnd(of time: Microseconds) -> Microseconds {
        if time != answer.from {
            answer = (time, time + .random(in: Self.answerTime, using: &random))
        }
        return answer.end
    }

    /// Returns the portions in which bytes that are handed over together arrive, with the times at
    /// which they are released.
    public mutating func portions(of bytes: [UInt8], at time: Microseconds) -> [(
        bytes: [UInt8], release: Microseconds
    )] {
        guard case .ownUSB = kind else { return [(bytes, release(of: time))] }
        return stride(from: 0, to: bytes.count, by: Self.packet).map { start in
            let packet = Array(bytes[start...].prefix(Self.packet))
            return (packet, packetEnd(at: time, size: packet.count))
        }
    }

    /// Returns the time at which the next packet has arrived: in the first frame that begins after
    /// `time` and has room.
    private mutating func packetEnd(at time: Microseconds, size: Int) -> Microseconds {
        let duration = Microseconds((size * 8 + Self.packetBits) / Self.bitsPerMicrosecond + 1)
        var start = max(nextEdge(after: time - 1), taken)
        let end = nextEdge(after: start)
        if start + duration > end { start = end }
        taken = start + duration
        return taken
    }

    /// Returns the time until which nothing new can be released.
    public func horizon(after time: Microseconds) -> Microseconds {
        switch kind {
        case .usb: min(nextEdge(after: time), time + 100)
        case .ownUSB: min(nextEdge(after: time), time + Self.answerTime.lowerBound)
        case .pty, .desktop: time + 40
        }
    }

    private func nextEdge(after time: Microseconds) -> Microseconds {
        time + Self.frame - (time - phase) % Self.frame
    }

    private mutating func delay(
        _ mean: Double, stallOneIn count: Int, _ stall: ClosedRange<Double>
    ) -> Microseconds {
        var delay = -mean * log(1 - Double.random(in: 0..<1, using: &random))
        if random.chance(oneIn: count) { delay += .random(in: stall, using: &random) }
        return Microseconds(delay)
    }
}

/// Bit noise that flips one bit of one byte in every `bytes` bytes.
struct BitNoise {
    private let bytes: Int
    private var random: SeededGenerator
    private var left: Int

    init(bytes: Int, seed: UInt64) {
        self.bytes = bytes
        random = SeededGenerator(seed: seed)
        left = .random(in: 0..<bytes, using: &random)
    }

    mutating func damage(_ byte: UInt8) -> UInt8 {
        guard left == 0 else {
            left -= 1
            return byte
        }
        left = bytes - 1
        return byte ^ 1 << UInt8.random(in: 0...7, using: &random)
    }
}
