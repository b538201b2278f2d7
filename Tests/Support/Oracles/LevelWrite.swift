// The state of the chip according to a bus trace: its registers, and the levels that were written.

import VirtualBoard

/// An acknowledged write to RTP_INPUT, with the start time of its transfer and the written value.
public struct LevelWrite: Equatable, Sendable {
    public var time: BoardTime
    public var value: UInt8

    public init(time: BoardTime, value: UInt8) {
        self.time = time
        self.value = value
    }
}

extension BusTransaction {
    /// The register and its new value; nil if this is not an acknowledged register write.
    public var write: (register: UInt8, value: UInt8)? {
        isAcknowledged && bytes.count == 3 ? (bytes[1], bytes[2]) : nil
    }
}

extension Sequence<BusTransaction> {
    /// The levels that were written to the chip (RTP_INPUT, SLOS854D 8.6.3).
    public var levels: [LevelWrite] {
        compactMap { transaction in
            guard let write = transaction.write, write.register == 0x02 else { return nil }
            return LevelWrite(time: transaction.start, value: write.value)
        }
    }

    /// The last value that was written to MODE; nil if no value was written.
    public var mode: UInt8? {
        reduce(nil) { mode, transaction in
            transaction.write.flatMap { $0.register == 0x01 ? $0.value : nil } ?? mode
        }
    }
}

extension Sequence<LevelWrite> {
    /// Returns the writes at or after `start`, with times relative to `start`.
    public func played(from start: BoardTime) -> [LevelWrite] {
        filter { $0.time >= start }.map { LevelWrite(time: $0.time - start, value: $0.value) }
    }
}
