// ContinuousShape: the envelope of a continuous event over time, represented by straight lines.

import HapticPatterns

/// The envelope of a continuous event after the controls have been applied, represented by straight
/// lines.
struct ContinuousShape: Sendable {
    let event: HapticEvent
    /// The event's index in its pattern.
    let source: Int
    /// The factor of the envelope over time, with one line per phase and no gaps.
    let phases: [Line]

    /// The time at which the event ends, including its release; `Microseconds.max` if it never
    /// ends.
    var end: Microseconds { phases.last?.end ?? event.time }

    /// Calculates the envelope. The length of each phase depends on the value of its control at the
    /// start of the phase.
    init(of event: HapticEvent, source: Int, controls: PatternControls) {
        self.event = event
        self.source = source
        let phases =
            event.envelope.sustained
            ? Self.sustained(event, controls) : Self.fading(event, controls)
        self.phases = Self.lengthened(phases, from: event.time)
    }

    /// Returns the phases of a sustained event: the attack, full level until the end of the
    /// duration, and the release, which starts at the level that has been reached.
    private static func sustained(_ event: HapticEvent, _ controls: PatternControls) -> [Line] {
        let full = event.time + controls.attackLength(of: event, at: event.time)
        let attack = Line(from: event.time, to: full, full > event.time ? 0 : 1, 1)
        let held =
            event.isEndless
            ? controls.endlessEnd(of: event) : event.time + (event.length ?? 0)
        let reached = held < full ? attack.value(at: held) : 1
        var phases = [Line(from: attack.start, to: min(full, held), attack.startValue, reached)]
        phases.append(Line(from: phases[0].end, to: held, 1, 1))
        if held < .max {
            let silent = held + controls.releaseLength(of: event, at: held)
            phases.append(Line(from: held, to: silent, reached, 0))
        }
        return phases.filter { $0.start < $0.end }
    }

    /// Returns the phases of an event that is not sustained: the attack and the decay. Such an
    /// event ends when the decay ends.
    private static func fading(_ event: HapticEvent, _ controls: PatternControls) -> [Line] {
        let full = event.time + controls.attackLength(of: event, at: event.time)
        let silent = full + controls.decayLength(of: event, at: full)
        return [Line(from: event.time, to: full, 0, 1), Line(from: full, to: silent, 1, 0)]
            .filter { $0.start < $0.end }
    }

    /// Lengthens an event that is shorter than a tick to one tick, because the event could
    /// otherwise fall between two ticks.
    private static func lengthened(_ phases: [Line], from start: Microseconds) -> [Line] {
        let least = start + StreamTime.tick
        guard (phases.last?.end ?? start) < least else { return phases }
        let level = phases.lazy.flatMap { [$0.startValue, $0.endValue] }.max() ?? 1
        return [Line(from: start, to: least, level, level)]
    }
}

/// An interval of a line. The line itself may extend beyond the interval.
struct LinePart: Equatable {
    var start: Microseconds
    var end: Microseconds
    var line: Line
}

extension Line {
    /// Returns the line limited to 0...1, in up to three parts. The parts of the line that are
    /// outside this range are replaced by constant lines at the limit.
    func limited() -> [LinePart] {
        let legal = 0.0...1.0
        if legal.contains(startValue) && legal.contains(endValue) {
            return [LinePart(start: start, end: end, line: self)]
        }
        let corners = [start] + [crossing(0), crossing(1)].compactMap { $0 }.sorted() + [end]
        return zip(corners, corners.dropFirst()).map { from, to in
            let middle = value(at: from + (to - from) / 2)
            let held = min(max(middle, 0), 1)
            let line = middle == held ? self : Line(from: from, to: to, held, held)
            return LinePart(start: from, end: to, line: line)
        }
    }

    /// Returns the time at which the line passes the given value, with an accuracy of a
    /// microsecond; nil if the line does not pass the value between its ends.
    private func crossing(_ limit: Double) -> Microseconds? {
        let time = Double(start) + ((limit - startValue) / slope).rounded()
        guard time > Double(start), time < Double(end) else { return nil }
        return Microseconds(time)
    }
}
