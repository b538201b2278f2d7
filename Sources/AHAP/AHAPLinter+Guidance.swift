// AHAPLinter+Guidance: advice on how to keep patterns comfortable. The advice adds numbers to the
// section "Playing haptics" of Apple's Human Interface Guidelines.
//
// The guidelines recommend short haptics and warn against overuse, but contain no numbers. This
// project chose the numbers in this file. They are based on the properties of actuators and skin,
// and exceed the corresponding values in all of Apple's sample patterns.

import HapticPatterns
import JSONText

extension AHAPLinter {
    /// The maximum time for which a pattern may be felt without a pause, in microseconds. Apple's
    /// longest sample lasts 3 s.
    public static let longestWithoutPause: Microseconds = 5_000_000

    /// The minimum length of a pause, in microseconds. A shorter gap is perceived as a rhythm
    /// rather than as a pause.
    public static let shortestPause: Microseconds = 200_000

    /// The maximum number of taps in one second. A coin LRA cannot separate taps that are less than
    /// 15 ms apart, and taps at intervals of 30 ms or less are perceived as a vibration (Scientific
    /// Reports 2025, PMC11814341). Apple's densest sample has 51 taps in one second and is intended
    /// to feel like a vibration.
    public static let mostTapsInASecond = 60

    /// The maximum fraction of time during which haptics may be felt, for a pattern that is longer
    /// than ``longestWithoutPause``.
    public static let mostFelt = 0.8

    /// Returns advice on a pattern: at most one diagnostic about its levels and at most one about
    /// its taps.
    static func guidance(on pattern: HapticPattern) -> [Diagnostic] {
        let spans = FeltSpan.all(of: pattern)
        let taps = pattern.events.filter { $0.type == .hapticTransient && $0.intensity > 0 }
        return [
            longWithoutPause(spans) ?? rarelyAtRest(spans, of: pattern.length),
            manyTaps(taps) ?? manyClicks(taps),
        ].compactMap { $0 }
    }

    private static func longWithoutPause(_ spans: [FeltSpan]) -> Diagnostic? {
        let long = spans.filter { $0.end - $0.start > longestWithoutPause }
        guard let first = long.first else { return nil }
        let others = long.count > 1 ? ", the first of \(long.count) such intervals" : ""
        return note(
            .longWithoutPause, first.location,
            "the pattern is felt from \(seconds(first.start)) to \(seconds(first.end)) without a "
                + "pause of \(seconds(shortestPause))\(others)",
            "make the interval shorter than \(seconds(longestWithoutPause)), or insert a pause: "
                + "people soon stop noticing a long vibration, and it is tiring")
    }

    private static func rarelyAtRest(
        _ spans: [FeltSpan], of length: Microseconds
    ) -> Diagnostic? {
        let felt = spans.reduce(0) { $0 + $1.end - $1.start }
        guard let first = spans.first, length > longestWithoutPause,
            Double(felt) > mostFelt * Double(length)
        else { return nil }
        return note(
            .rarelyAtRest, first.location,
            "the pattern is felt during \(seconds(felt)) of its \(seconds(length))",
            "play only short haptics, for single events, so that nothing is felt "
                + "for most of the time")
    }

    private static func manyClicks(_ taps: [HapticEvent]) -> Diagnostic? {
        var limiter = ClickLimiter(spacing: 0)
        guard let surplus = taps.first(where: { limiter.click(at: $0.time) == .isTooMany }),
            let first = taps.first
        else { return nil }
        return note(
            .manyClicks, surplus.location,
            "too many taps from \(seconds(first.time)) to \(seconds(surplus.time)): "
                + "\(ClickLimiter.mostAtOnce) may follow each other immediately, then "
                + "\(ClickLimiter.mostPerSecond) per second",
            "use fewer taps, or a HapticContinuous event for a texture")
    }

    private static func manyTaps(_ taps: [HapticEvent]) -> Diagnostic? {
        var oldest = 0
        var most = (count: 0, first: 0)
        for (index, tap) in taps.enumerated() {
            while taps[oldest].time <= tap.time - 1_000_000 { oldest += 1 }
            if index - oldest + 1 > most.count { most = (index - oldest + 1, oldest) }
        }
        guard most.count > mostTapsInASecond else { return nil }
        return note(
            .manyTaps, taps[most.first].location,
            "\(most.count) taps in the second that starts at \(seconds(taps[most.first].time)); "
                + "more than \(mostTapsInASecond) are felt as one vibration",
            "use a HapticContinuous event for a texture, or fewer taps")
    }

    private static func seconds(_ time: Microseconds) -> String {
        "\((Double(time) / 1e4).rounded() / 100) s"
    }
}

/// An interval in which a pattern is felt without a pause.
private struct FeltSpan {
    var start: Microseconds
    var end: Microseconds
    /// The location of the event that starts the interval.
    var location: SourceLocation?

    /// Returns all intervals in which a pattern is felt, in order of time. Release tails are not
    /// included.
    ///
    /// Overlapping continuous events are joined before the intensity control is applied. Each
    /// segment of the control is therefore visited only once, no matter how many events overlap the
    /// segment.
    static func all(of pattern: HapticPattern) -> [FeltSpan] {
        let control = ControlTimeline(.hapticIntensityControl, of: pattern)
        let end = pattern.length
        let felt = pattern.events.filter { $0.type.isHaptic && $0.intensity > 0 }
        let taps = felt.filter { $0.type == .hapticTransient }
            .map { FeltSpan(start: $0.time, end: $0.time, location: $0.location) }
        let continuous = felt.filter { $0.type == .hapticContinuous }.map { event in
            let last = event.isEndless ? end : event.time + (event.length ?? 0)
            return FeltSpan(start: event.time, end: last, location: event.location)
        }
        let parts = joined(continuous, within: 1).flatMap { $0.parts(under: control) }
        return joined(
            (taps + parts).sorted { $0.start < $1.start }, within: AHAPLinter.shortestPause)
    }

    /// Joins intervals that are separated by less than a pause. The intervals must be sorted by
    /// start time.
    private static func joined(_ spans: [Self], within pause: Microseconds) -> [Self] {
        spans.reduce(into: []) { joined, next in
            if let last = joined.last, next.start - last.end < pause {
                joined[joined.count - 1].end = max(last.end, next.end)
            } else {
                joined.append(next)
            }
        }
    }

    /// Returns the parts of an interval in which the intensity control is not 0. A control of 0
    /// acts as a pause.
    private func parts(under control: ControlTimeline) -> [Self] {
        control.segments(in: start..<max(start + 1, end))
            .filter { !$0.isConstant || $0.startValue > 0 }
            .map { Self(start: max($0.start, start), end: min($0.end, end), location: location) }
    }
}
