// Advice on what people stand: Apple's Human Interface Guidelines, "Playing haptics", in numbers.
//
// The guidelines ask for short haptics and warn of overuse; they give no number. The numbers here are
// ours: above all of Apple's own sample patterns, and what is known of actuators and skin.

extension AHAPLinter {
    /// How long a pattern may be felt without a pause, in microseconds. Apple's longest sample lasts 3 s.
    public static let longestWithoutPause: Microseconds = 5_000_000

    /// The least pause, in microseconds: what follows closer is felt as rhythm, not as rest.
    public static let shortestPause: Microseconds = 200_000

    /// The most taps in one second. A coin LRA cannot part what comes closer than 15 ms, and from
    /// 30 ms down skin feels a vibration (Scientific Reports 2025, PMC11814341); the densest of Apple's
    /// samples, which wants that, has 51.
    public static let mostTapsInASecond = 60

    /// The advice on a pattern, one remark of each kind at most.
    static func guidance(on pattern: HapticPattern) -> [Diagnostic] {
        [longWithoutPause(in: pattern), manyTaps(in: pattern)].compactMap(\.self)
    }

    private static func longWithoutPause(in pattern: HapticPattern) -> Diagnostic? {
        let long = FeltStretch.all(of: pattern).filter { $0.end - $0.start > longestWithoutPause }
        guard let first = long.first else { return nil }
        let others = long.count > 1 ? ", the first of \(long.count) such stretches" : ""
        return note(
            .longWithoutPause, first.place,
            "felt from \(seconds(first.start)) to \(seconds(first.end)) without a pause of "
                + "\(seconds(shortestPause))\(others)",
            "make it shorter than \(seconds(longestWithoutPause)), or let it pause: what lasts "
                + "is soon not noticed any more, and tires")
    }

    private static func manyTaps(in pattern: HapticPattern) -> Diagnostic? {
        let taps = pattern.events.filter { $0.type == .hapticTransient && $0.intensity > 0 }
        var oldest = 0
        var most = (count: 0, first: 0)
        for (index, tap) in taps.enumerated() {
            while taps[oldest].time <= tap.time - 1_000_000 { oldest += 1 }
            if index - oldest + 1 > most.count { most = (index - oldest + 1, oldest) }
        }
        guard most.count > mostTapsInASecond else { return nil }
        return note(
            .manyTaps, taps[most.first].place,
            "\(most.count) taps in the second from \(seconds(taps[most.first].time)) on; above "
                + "\(mostTapsInASecond) they are felt as one vibration",
            "use a HapticContinuous event for a texture, or fewer taps")
    }

    private static func seconds(_ time: Microseconds) -> String {
        "\((Double(time) / 1e4).rounded() / 100) s"
    }
}

/// A time in which a pattern is felt without a pause.
private struct FeltStretch {
    var start: Microseconds
    var end: Microseconds
    /// Of the event that begins it.
    var place: SourcePlace?

    /// All of them, in order of time. Release tails do not count.
    ///
    /// Continuous events that overlap are joined before the control is looked at: each of its
    /// segments is visited once, however many events sound under it.
    static func all(of pattern: HapticPattern) -> [FeltStretch] {
        let control = ControlTimeline(.hapticIntensityControl, of: pattern)
        let end = pattern.length
        let felt = pattern.events.filter { $0.type.isHaptic && $0.intensity > 0 }
        let taps = felt.filter { $0.type == .hapticTransient }
            .map { FeltStretch(start: $0.time, end: $0.time, place: $0.place) }
        let continuous = felt.filter { $0.type == .hapticContinuous }.map { event in
            let last = event.isEndless ? end : event.time + (event.length ?? 0)
            return FeltStretch(start: event.time, end: last, place: event.place)
        }
        let parts = joined(continuous, within: 1).flatMap { $0.parts(under: control) }
        return joined(
            (taps + parts).sorted { $0.start < $1.start }, within: AHAPLinter.shortestPause)
    }

    /// Stretches in order of their starts, as one where less than a pause lies between two.
    private static func joined(_ stretches: [Self], within pause: Microseconds) -> [Self] {
        stretches.reduce(into: []) { joined, next in
            if let last = joined.last, next.start - last.end < pause {
                joined[joined.count - 1].end = max(last.end, next.end)
            } else {
                joined.append(next)
            }
        }
    }

    /// The parts of a stretch that are left under a control which is 0 for a while, as in a pause.
    private func parts(under control: ControlTimeline) -> [Self] {
        control.segments(in: start..<max(start + 1, end))
            .filter { !$0.isConstant || $0.startValue > 0 }
            .map { Self(start: max($0.start, start), end: min($0.end, end), place: place) }
    }
}
