// Compares the bus traffic of a board with the requirements of a stream.

import HapticCompiler
import VirtualBoard

/// The result of comparing a trace with the stream that was played.
package struct DriveComparison {
    /// A write of a level to the chip.
    package struct Write: Equatable, Sendable {
        package var start: BoardTime
        /// The drive of the chip after the write or, if ``Rules/value`` maps levels, the byte that
        /// was written.
        package var value: Int

        package init(start: BoardTime, value: Int) { (self.start, self.value) = (start, value) }
    }

    /// The conditions of a comparison.
    package struct Rules {
        /// The maximum lateness of the start of a write, in microseconds.
        package var late: BoardTime = 1_000
        /// The maximum earliness of the start of a write, in microseconds.
        package var early: BoardTime = 0
        /// A closure that returns the value that is written for a level.
        package var value: (Int) -> Int = { $0 }

        package init() {}
    }

    /// A difference between the writes and the stream.
    package struct Deviation: CustomStringConvertible {
        package enum Kind {
            /// A required value was not written at the required time. `other` is an unexpected
            /// value that was written instead; `shift` is the time by which the required value was
            /// written too late; it is negative if the value was written too early.
            case missing(Int, other: Int?, shift: BoardTime?)
            /// A value was written although the stream does not require it at that time.
            case unexpected(Int)
            /// A ramp changed from one value to another without a step between them.
            case step(from: Int, to: Int)
        }

        /// The time at which a required write is due, or at which an unexpected write occurs.
        package var time: BoardTime
        package var kind: Kind

        package var description: String {
            switch kind {
            case .missing(let value, let other, let shift):
                "no write of \(value) at \(time)"
                    + (other.map { ", but one of \($0)" } ?? "")
                    + (shift.map { ", but one \($0) us later" } ?? "")
            case .unexpected(let value): "a write of \(value) at \(time) that no event requires"
            case .step(let from, let to): "a step of \(from) to \(to) at \(time)"
            }
        }
    }

    /// The deviations; those that concern required writes come first.
    package private(set) var deviations: [Deviation] = []
    /// The number of writes that the events require, not counting the steps of ramps.
    package private(set) var required = 0
    /// The number of required writes that were found.
    package private(set) var found = 0
    /// The maximum time between the due time of an event and the START of its write, in
    /// microseconds.
    package private(set) var worstOnset: BoardTime = 0
    /// The time from the start of the previous write to the due time of the event with the worst
    /// onset, in microseconds; nil if there was no previous write.
    package private(set) var writeBeforeWorst: BoardTime?
    /// The number of taps for which a separate write was found.
    package private(set) var taps = 0

    /// Descriptions of all deviations; empty if there are none.
    package var mismatches: [String] { deviations.map(\.description) }

    private static let stepLimit: BoardTime = 5_200
    /// The maximum time between the due time of a write and a misplaced write that is still
    /// attributed to it, in microseconds.
    private static let shiftMax: BoardTime = 20_000

    private let writes: [Write]
    private let rules: Rules
    private let expected: ExpectedDrive

    /// Compares the level writes among bus transactions with the drive that a stream requires.
    ///
    /// - Parameter transactions: the transactions during playback, including the writes before tick
    ///   0.
    package init(_ transactions: [BusTransaction], _ expected: ExpectedDrive, origin: BoardTime) {
        let writes = transactions.compactMap { transaction -> Write? in
            let isLevel = transaction.bytes.count == 3 && transaction.bytes[1] == 0x02
            guard isLevel, transaction.start >= origin else { return nil }
            return Write(start: transaction.start, value: transaction.drive)
        }
        self.init(writes, expected)
    }

    /// Compares writes of levels with the drive that a stream requires.
    ///
    /// - Parameter writes: the writes during playback, in order of time.
    package init(_ writes: [Write], _ expected: ExpectedDrive, _ rules: Rules = Rules()) {
        (self.writes, self.expected, self.rules) = (writes, expected, rules)
        meetObligations()
        explainWrites()
    }

    /// Checks that every onset, end and jump has a write, in order and on time, and that every tap
    /// has a separate write.
    private mutating func meetObligations() {
        var next = 0
        var shown = 0
        let sorted = expected.obligations.sorted { $0.time < $1.time }
        for (index, obligation) in sorted.enumerated() {
            while next < writes.count, writes[next].start < obligation.time - rules.early {
                shown = writes[next].value
                next += 1
            }
            let value = rules.value(obligation.level)
            let isNeeded = obligation.kind == .tap || shown != value
            guard isNeeded, !isSuperseded(obligation, by: sorted[(index + 1)...]) else { continue }
            required += 1
            guard let write = find(value, at: obligation.time, from: next) else {
                deviations.append(explanation(of: value, at: obligation.time))
                continue
            }
            found += 1
            record(writes[write].start - obligation.time, of: obligation, write: write)
            if obligation.kind == .tap {
                taps += 1
                shown = writes[write].value
                next = write + 1
            }
        }
    }

    private mutating func record(
        _ onset: BoardTime, of obligation: ExpectedDrive.Obligation, write: Int
    ) {
        guard abs(onset) > worstOnset else { return }
        worstOnset = abs(onset)
        writeBeforeWorst = write > 0 ? obligation.time - writes[write - 1].start : nil
    }

    /// Returns whether an end or a jump needs no write because it is replaced by a later obligation
    /// that is due at the same time.
    private func isSuperseded(
        _ obligation: ExpectedDrive.Obligation, by later: ArraySlice<ExpectedDrive.Obligation>
    ) -> Bool {
        obligation.kind != .tap && later.first?.time == obligation.time
    }

    private func find(_ value: Int, at time: BoardTime, from next: Int) -> Int? {
        writes[next...].prefix { $0.start <= time + rules.late }.firstIndex { $0.value == value }
    }

    /// Returns the deviation for a missing write. The deviation contains the value that was written
    /// instead, if no event requires that value, and the time by which the required value was
    /// shifted.
    private func explanation(of value: Int, at time: BoardTime) -> Deviation {
        let first = writes.partitioningIndex { $0.start >= time - Self.shiftMax }
        let near = writes[first...].prefix { $0.start <= time + Self.shiftMax }
            .sorted { abs($0.start - time) < abs($1.start - time) }
        let other = near.first {
            isInTime($0, time) && $0.value != value && !isExplained($0)
        }
        let shifted = near.first { $0.value == value && !isDue($0) }
        return Deviation(
            time: time,
            kind: .missing(value, other: other?.value, shift: shifted.map { $0.start - time }))
    }

    private func isInTime(_ write: Write, _ time: BoardTime) -> Bool {
        -rules.early...rules.late ~= write.start - time
    }

    /// Returns whether an event requires a write of this value at its time.
    private func isDue(_ write: Write) -> Bool {
        expected.obligations.contains {
            isInTime(write, $0.time) && rules.value($0.level) == write.value
        }
    }

    /// Checks that no write is unexpected: each level that was written matches the stream at the
    /// time of the write, and ramps have fine steps.
    private mutating func explainWrites() {
        var piece = 0
        for write in writes where !isExplained(write, from: &piece) {
            deviations.append(Deviation(time: write.start, kind: .unexpected(write.value)))
        }
        for piece in expected.pieces where piece.from != piece.to { checkSteps(of: piece) }
    }

    private func isExplained(_ write: Write) -> Bool {
        var piece = 0
        return isExplained(write, from: &piece)
    }

    /// Returns whether the stream requires the value of a write at the time of the write.
    private func isExplained(_ write: Write, from piece: inout Int) -> Bool {
        let ranges = expected.levels(
            from: write.start - rules.late, to: write.start + rules.early, &piece)
        return ranges.contains { $0.contains { rules.value($0) == write.value } }
    }

    private mutating func checkSteps(of piece: ExpectedDrive.Piece) {
        let first = writes.partitioningIndex { $0.start >= piece.start }
        let start = rules.value(Int((piece.from + 0.5).rounded(.down)))
        var last = Write(start: piece.start, value: start)
        for write in writes[first...].prefix(while: { $0.start < piece.end }) {
            if write.start - last.start > Self.stepLimit, !isStep(last.value, write.value) {
                let kind = Deviation.Kind.step(from: last.value, to: write.value)
                deviations.append(Deviation(time: write.start, kind: kind))
            }
            last = write
        }
    }

    /// Returns whether two values represent the same level or two adjacent levels.
    private func isStep(_ one: Int, _ other: Int) -> Bool {
        one == other
            || (0..<255).contains { level in
                let values = [rules.value(level), rules.value(level + 1)]
                return values == [one, other] || values == [other, one]
            }
    }
}
