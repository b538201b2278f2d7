// Score: the levels that a host plays in a run. Each write on the bus identifies its event, because
// of the choice of the levels.

import BridgeLink
import HapticCompiler
import TestSupport

/// A series of levels at equal intervals. Successive levels differ, and the levels of two scores
/// also differ.
struct Score {
    /// The number of the part of a run in which the score is played. Modulo 8, all levels of the
    /// score are equal to this number.
    let part: Int
    let levels: [UInt8]
    /// The interval between two levels, in ticks.
    let spacing: Int

    static let parts = 8

    /// - Parameter steps: the number of different levels in each part; with 15 steps, the levels
    ///   stay below 128.
    init(
        part: Int, length: Microseconds, spacing: Int, steps: Int,
        using random: inout SeededGenerator
    ) {
        self.part = part % Self.parts
        self.spacing = spacing
        var last = 0
        levels = (0..<max(2, Int(length) / (spacing * 250))).map { _ in
            let step = Int.random(in: 1..<steps, using: &random)
            last = (last + step) % steps
            return UInt8(8 + last * Self.parts + part % Self.parts)
        }
    }

    var bytes: [UInt8] {
        var events = levels.enumerated().map { StreamEvent(.level($1), at: ($0 + 1) * spacing) }
        events.append(StreamEvent(.end, at: (levels.count + 1) * spacing))
        return EventStreamEncoder.encode(events)
    }

    /// Returns the time from tick 0 to an event, in microseconds.
    func due(_ index: Int) -> Double { Double((index + 1) * spacing * 250) }

    /// The time from tick 0 to END, in microseconds.
    var length: Microseconds { Microseconds((levels.count + 1) * spacing * 250) }

    /// Returns true if the level belongs to an event that is due within a range of times, in
    /// microseconds from tick 0.
    func has(_ level: UInt8, dueIn range: ClosedRange<Double>) -> Bool {
        let step = Double(spacing * 250)
        let first = max(0, Int((range.lowerBound / step).rounded(.down)) - 2)
        let last = min(levels.count - 1, Int((range.upperBound / step).rounded(.up)))
        guard first <= last else { return false }
        return (first...last).contains { index in
            levels[index] == level && range.overlaps(due(index)...due(index + 1))
        }
    }
}
