// What lies between a host and its board: when bytes that are handed over are let go.

import BridgeLink
import Foundation

/// The delays of a line, in host microseconds. Bytes take their time on the wire besides.
public struct LineModel {
    public enum Kind: Sendable {
        /// A USB adapter: both directions are let go at the edges of frames of 1 ms.
        case usb
        /// Two processes on a busy machine: 40 us and an exponential 45 us on average each way, and
        /// once in a hundred times a stall of up to 8 ms.
        case pty
    }

    private let kind: Kind
    /// Where the edges lie, of a USB adapter: that of its board.
    private let phase: Microseconds
    private var random: SeededGenerator

    private static let frame: Microseconds = 1_000
    private static let stall = 0.0...8_000.0

    public init(_ kind: Kind, seed: UInt64) {
        self.kind = kind
        random = SeededGenerator(seed: seed)
        phase = .random(in: 0..<Self.frame, using: &random)
    }

    /// When a portion that is handed over at `time` is let go.
    public mutating func release(of time: Microseconds) -> Microseconds {
        switch kind {
        case .usb: nextEdge(after: time - 1)
        case .pty: time + 40 + delay()
        }
    }

    /// How far time may go before something new could be let go.
    public func horizon(after time: Microseconds) -> Microseconds {
        switch kind {
        case .usb: min(nextEdge(after: time), time + 100)
        case .pty: time + 40
        }
    }

    private func nextEdge(after time: Microseconds) -> Microseconds {
        time + Self.frame - (time - phase) % Self.frame
    }

    private mutating func delay() -> Microseconds {
        var delay = -45 * log(1 - Double.random(in: 0..<1, using: &random))
        if random.chance(oneIn: 100) { delay += .random(in: Self.stall, using: &random) }
        return Microseconds(delay)
    }
}

/// Flips one bit of one byte in every so many.
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
