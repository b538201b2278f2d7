// LoudestSpan: an interval in which one continuous event is the loudest of its pattern.

import HapticPatterns

/// A phase of a continuous event, or the part of a phase in which no other event of the pattern is
/// louder than this event.
struct LoudestSpan: Sendable {
    /// The first instant, in microseconds from the start of the pattern.
    var start: Microseconds
    /// The end of the span (exclusive), in microseconds from the start of the pattern.
    var end: Microseconds
    /// The factor of the envelope over time.
    let phase: Line
    /// The event's intensity.
    let intensity: Double
    /// The event's index in its pattern.
    let source: Int

    /// The level before any control.
    private var level: Line {
        Line(
            from: phase.start, to: phase.end, intensity * phase.startValue,
            intensity * phase.endValue)
    }

    func part(_ interval: Range<Microseconds>) -> LoudestSpan {
        var part = self
        (part.start, part.end) = (interval.lowerBound, interval.upperBound)
        return part
    }

    func continues(_ other: LoudestSpan) -> Bool {
        start == other.end && source == other.source && phase == other.phase
    }

    /// Returns whether another span is louder than this span from the given time on. If both levels
    /// follow the same line, the span of the later event is considered louder.
    func isBelow(_ other: LoudestSpan, at time: Microseconds) -> Bool {
        level.isBelow(other.level, at: time) ?? (source < other.source)
    }

    func overtaking(
        by other: LoudestSpan, after time: Microseconds
    ) -> Microseconds? {
        level.overtaking(by: other.level, after: time)
    }
}
