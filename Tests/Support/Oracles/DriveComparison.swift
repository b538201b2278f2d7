// The comparison of a board's bus traffic with the requirements of a stream.

import HapticCompiler
import VirtualBoard

/// The result of comparing a trace with the stream that was played.
public struct DriveComparison {
    /// Descriptions of all deviations; empty if there are none.
    public private(set) var mismatches: [String] = []
    /// The maximum time from the due time of an event to the START of its write, in microseconds.
    public private(set) var worstOnset: BoardTime = 0
    /// The time from the start of the previous write to the due time of the event with the worst
    /// onset, in microseconds; nil if there was no previous write.
    public private(set) var writeBeforeWorst: BoardTime?
    /// The number of taps with a write of their own.
    public private(set) var taps = 0

    /// A write to RTP_INPUT, and the chip's drive after it.
    private struct LevelWrite {
        var start: BoardTime
        var drive: Int
    }

    private static let onsetLimit: BoardTime = 1_000
    private static let stepLimit: BoardTime = 5_200

    private let writes: [LevelWrite]

    /// - Parameter transactions: the transactions during playback, including the writes before tick
    ///   0.
    public init(_ transactions: [BusTransaction], _ expected: ExpectedDrive, origin: BoardTime) {
        writes = transactions.compactMap { transaction in
            let isLevel = transaction.bytes.count == 3 && transaction.bytes[1] == 0x02
            guard isLevel, transaction.start >= origin else { return nil }
            return LevelWrite(start: transaction.start, drive: transaction.drive)
        }
        meetObligations(expected.obligations)
        explainWrites(expected)
    }

    /// Checks that every onset, end and jump has its write, in order and in time, and that every
    /// tap has its own write.
    private mutating func meetObligations(_ obligations: [ExpectedDrive.Obligation]) {
        var next = 0
        var shown = 0
        let sorted = obligations.sorted { $0.time < $1.time }
        for (index, obligation) in sorted.enumerated() {
            while next < writes.count, writes[next].start < obligation.time {
                shown = writes[next].drive
                next += 1
            }
            let isNeeded = obligation.kind == .tap || shown != obligation.level
            guard isNeeded, !isSuperseded(obligation, by: sorted[(index + 1)...]) else { continue }
            guard let write = find(obligation, from: next) else {
                mismatches.append("no write for \(obligation)")
                continue
            }
            record(writes[write].start - obligation.time, of: obligation, write: write)
            if obligation.kind == .tap {
                taps += 1
                shown = writes[write].drive
                next = write + 1
            }
        }
    }

    private mutating func record(
        _ onset: BoardTime, of obligation: ExpectedDrive.Obligation, write: Int
    ) {
        guard onset > worstOnset else { return }
        worstOnset = onset
        writeBeforeWorst = write > 0 ? obligation.time - writes[write - 1].start : nil
    }

    /// Returns whether an end or a jump needs no write because a later obligation at the same time
    /// replaces it.
    private func isSuperseded(
        _ obligation: ExpectedDrive.Obligation, by later: ArraySlice<ExpectedDrive.Obligation>
    ) -> Bool {
        obligation.kind != .tap && later.first?.time == obligation.time
    }

    private func find(_ obligation: ExpectedDrive.Obligation, from next: Int) -> Int? {
        var index = next
        while index < writes.count, writes[index].start <= obligation.time + Self.onsetLimit {
            if writes[index].drive == obligation.level { return index }
            index += 1
        }
        return nil
    }

    /// Checks that there are no other writes: each level matches the stream at its time, and ramps
    /// have fine steps.
    private mutating func explainWrites(_ expected: ExpectedDrive) {
        var piece = 0
        for write in writes
        where !expected.explains(write.drive, at: write.start, slack: 1_000, from: &piece) {
            mismatches.append("a write of \(write.drive) at \(write.start) that no event requires")
        }
        for piece in expected.pieces where piece.from != piece.to { checkSteps(of: piece) }
    }

    private mutating func checkSteps(of piece: ExpectedDrive.Piece) {
        let first = writes.partitioningIndex { $0.start >= piece.start }
        var last = (time: piece.start, drive: Int((piece.from + 0.5).rounded(.down)))
        for write in writes[first...].prefix(while: { $0.start < piece.end }) {
            if write.start - last.time > Self.stepLimit, abs(write.drive - last.drive) > 1 {
                mismatches.append("a step of \(last.drive) to \(write.drive) at \(write.start)")
            }
            last = (write.start, write.drive)
        }
    }
}

extension Array {
    /// Returns the index of the first element for which `predicate` is true. The array must be
    /// partitioned by the predicate.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
