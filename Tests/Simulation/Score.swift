// What a host plays in a run, such that each write on the bus tells which event it is.

import BridgeLink
import HapticCompiler
import TestSupport

/// Levels at even distances. Those of two scores differ, as do levels that follow each other.
struct Score {
    /// Which part of a run: levels are this modulo 8.
    let part: Int
    let levels: [UInt8]
    /// In ticks.
    let spacing: Int
    let start: Playback.StartTime

    static let parts = 8

    /// - Parameter steps: how many levels there are of each part; 15 of them stay below 128.
    init(
        part: Int, start: Playback.StartTime, length: Microseconds, spacing: Int, steps: Int,
        using random: inout SeededGenerator
    ) {
        self.part = part % Self.parts
        self.spacing = spacing
        self.start = start
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

    /// Microseconds from tick 0 to an event.
    func due(_ index: Int) -> Double { Double((index + 1) * spacing * 250) }

    /// From tick 0 to END.
    var length: Microseconds { Microseconds((levels.count + 1) * spacing * 250) }

    /// Whether a level is that of some event that is due from `early` to `late`.
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
