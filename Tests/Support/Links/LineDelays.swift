// The delays between a host and its board, which determine when bytes are delivered.

import BridgeLink
import Foundation

/// The delays of a line, in microseconds. The transmission time of the bytes is added to the
/// delays.
public struct LineDelays {
    public enum Kind: Sendable {
        /// A USB adapter, which delivers bytes of both directions at the boundaries of 1 ms frames.
        case usb
        /// A connection between two processes on a busy computer. In each direction, the delay is
        /// 40 us plus an exponentially distributed time with a mean of 45 us; one portion in a
        /// hundred stalls for up to 8 ms.
        case pty
        /// A board with native full-speed USB. Bytes that are sent before a 1 ms frame are
        /// transmitted at the start of the frame in consecutive packets of 64 bytes. The computer
        /// polls for answers repeatedly within a frame, between other bus traffic.
        case ownUSB
        /// A connection between two processes on a desktop computer. The delay of bytes to the host
        /// is longer than that of bytes to the board. In one of twelve frames, the receiving end
        /// stalls for 1 to 4 ms, which delays all later bytes.
        case desktop
    }

    private let kind: Kind
    private let isToHost: Bool
    /// The offset of the frame boundaries of a USB adapter.
    private let phase: Microseconds
    /// The mean wake-up time of a process on a desktop, in microseconds.
    private let meanDelay: Double
    /// The number of portions in twelve frames. The host receives byte by byte.
    private let portions: Int
    private var random: SeededGenerator

    private static let frame: Microseconds = 1_000
    private static let packet = 64
    /// The number of overhead bits in a packet, and the number of bits per microsecond on USB.
    private static let (packetBits, bitsPerMicrosecond) = (13 * 8, 12)
    /// The time that the computer needs to poll and to receive the answer.
    private static let answerTime: ClosedRange<Microseconds> = 20...120
    private var answer: (from: Microseconds, end: Microseconds) = (-1, 0)
    /// The time until which queued packets occupy the USB line.
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

    /// Returns the time at which a portion sent at `time` is delivered.
    public mutating func release(of time: Microseconds) -> Microseconds {
        switch kind {
        case .ownUSB where isToHost: answerEnd(of: time)
        case .usb, .ownUSB: nextEdge(after: time - 1)
        case .pty: time + 40 + delay(45, stallOneIn: 100, Self.stall)
        case .desktop: time + 40 + delay(meanDelay, stallOneIn: portions, Self.desktopStall)
        }
    }

    /// Returns the time at which the computer has received a packet that the board had ready at
    /// `time`.
    private mutating func answerEnd(of time: Microseconds) -> Microseconds {
        if time != answer.from {
            answer = (time, time + .random(in: Self.answerTime, using: &random))
        }
        return answer.end
    }

    /// Returns the portions in which bytes that are sent together are delivered, with the delivery
    /// time of each portion.
    public mutating func portions(of bytes: [UInt8], at time: Microseconds) -> [(
        bytes: [UInt8], release: Microseconds
    )] {
        guard case .ownUSB = kind else { return [(bytes, release(of: time))] }
        return stride(from: 0, to: bytes.count, by: Self.packet).map { start in
            let packet = Array(bytes[start...].prefix(Self.packet))
            return (packet, packetEnd(at: time, size: packet.count))
        }
    }

    /// Returns the time at which the transmission of the next packet ends. The packet is
    /// transmitted in the first frame that begins at `time` or later and has room.
    private mutating func packetEnd(at time: Microseconds, size: Int) -> Microseconds {
        let duration = Microseconds((size * 8 + Self.packetBits) / Self.bitsPerMicrosecond + 1)
        var start = max(nextEdge(after: time - 1), taken)
        let end = nextEdge(after: start)
        if start + duration > end { start = end }
        taken = start + duration
        return taken
    }

    /// Returns the time before which no newly sent bytes can be delivered.
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

/// Noise that on average flips one bit in every `bytes` bytes.
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
