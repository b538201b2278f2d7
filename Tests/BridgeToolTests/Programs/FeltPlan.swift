// FeltPlan: the levels that the programs on a board should produce, and a comparison of these
// levels with the bus trace.

import BridgeLink
import SerialPorts
import TestSupport

/// The expected levels of an actuator. Programs record the levels during playback. Afterwards, a
/// test compares the levels with the board's trace.
final class FeltPlan: Sendable {
    /// A constant level. The level must be present during one time range, and may be present during
    /// a second range.
    private struct Hold {
        let level: Int
        let certain: Range<HostTime>
        let possible: Range<HostTime>
    }

    private struct State {
        var holds: [Hold] = []
        /// The times of taps at full level.
        var taps: [HostTime] = []
        /// The levels of weaker taps, and the time ranges in which they occur. A weaker tap
        /// replaces the held level.
        var weakTaps: [(level: Int, range: Range<HostTime>)] = []
    }

    private let state = LockedValue(State())

    /// The maximum delay of the beginning and of the end of a level, in microseconds.
    private static let tolerance: Microseconds = 6_000
    /// The time after a tap at full level during which levels are not compared, in microseconds.
    private static let tapTime: Microseconds = 45_000
    /// The factor that reduces a level so that a tap can be felt over it.
    private static let roomForTap = 0.745
    /// The maximum error of a level, and of the time of a tap in microseconds.
    private static let levelError = 3
    private static let onsetError: Microseconds = 1_000

    /// Records a level that is held during a time range.
    func hold(_ level: Int, _ range: Range<HostTime>) { mayHold(level, certainly: range, range) }

    /// Records a level that must be present during one time range, and may be present during a
    /// second range.
    func mayHold(_ level: Int, certainly certain: Range<HostTime>?, _ possible: Range<HostTime>) {
        let certain = certain ?? possible.lowerBound..<possible.lowerBound
        state.withLock {
            $0.holds.append(Hold(level: level, certain: certain, possible: possible))
        }
    }

    /// Records taps below full level at unknown times within a range.
    func tap(at level: Int, within range: Range<HostTime>) {
        state.withLock { $0.weakTaps.append((level, range)) }
    }

    /// Records a tap at full level.
    func tap(at time: HostTime) { state.withLock { $0.taps.append(time) } }

    /// Returns descriptions of the differences from a trace of levels. The trace must be sorted by
    /// time.
    func differences(from levels: [(time: HostTime, value: Int)]) -> [String] {
        let state = state.withLock { $0 }
        let taps = state.taps.sorted()
        let missed = taps.filter { tap in
            !levels.contains { abs($0.time - tap) <= Self.onsetError && $0.value >= 250 }
        }.map { tap in
            let near = levels.filter { abs($0.time - tap) <= 20_000 }
                .map { "\($0.value) at \($0.time - tap)" }
            return "no tap at \(tap.microseconds): \(near.joined(separator: ", "))"
        }
        let played = levels.count { $0.value >= 250 }
        let unasked = played == taps.count ? [] : ["\(played) taps instead of \(taps.count)"]
        return missed + unasked + heldWrongly(state, levels)
    }

    /// Compares the level in the middle of each interval in which the level should be constant.
    private func heldWrongly(
        _ state: State, _ levels: [(time: HostTime, value: Int)]
    ) -> [String] {
        let ranges =
            state.holds.flatMap { [$0.certain, $0.possible] } + state.weakTaps.map(\.range)
        let taps = state.taps.map { $0..<$0 + Self.tapTime }
        let times = (ranges + taps).flatMap { [$0.lowerBound, $0.upperBound] }.sorted()
        var next = levels.startIndex
        return zip(times, times.dropFirst()).compactMap { start, end in
            let time = start + (end - start) / 2
            guard end - start > 2 * Self.tolerance, !taps.contains(where: { $0.contains(time) })
            else { return nil }
            while next < levels.endIndex, levels[next].time <= time { next += 1 }
            let level = next > levels.startIndex ? levels[next - 1].value : 0
            let legal = Self.legal(at: time, state)
            guard !legal.contains(level) else { return nil }
            return "the level \(level) instead of \(legal) at \(time.microseconds)"
        }
    }

    /// Returns the levels that are permitted at a given time.
    private static func legal(at time: HostTime, _ state: State) -> ClosedRange<Int> {
        let held = state.holds.filter { $0.certain.contains(time) }.map(\.level).max() ?? 0
        let most = state.holds.filter { $0.possible.contains(time) }.map(\.level).max() ?? 0
        let taps = state.weakTaps.filter { $0.range.contains(time) }.map(\.level)
        let least = ([Int(Double(held) * roomForTap)] + taps).min()!
        return least - levelError...max(([most] + taps).max()!, least) + levelError
    }
}
