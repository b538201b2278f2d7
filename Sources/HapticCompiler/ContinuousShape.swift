// One continuous event in time: its envelope under the controls, as straight lines.

internal import AHAP

/// A continuous event that has begun: its envelope, and the lines that it makes with its controls.
struct ContinuousShape: Sendable {
    let event: HapticEvent
    /// The event's index in its pattern.
    let source: Int
    /// The envelope's factor over time, phase by phase, without gap.
    let phases: [Line]

    /// When the event is over, release and all; `Microseconds.max` if never.
    var end: Microseconds { phases.last?.end ?? event.time }

    /// Lays out the envelope. Its ramp controls are read where their phase begins.
    init(of event: HapticEvent, source: Int, controls: PatternControls) {
        self.event = event
        self.source = source
        let phases =
            event.envelope.sustained
            ? Self.sustained(event, controls) : Self.fading(event, controls)
        self.phases = Self.lengthened(phases, from: event.time)
    }

    /// Attack, full level until the duration is over, release from the level that was reached.
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

    /// Attack, then decay, and the event is over.
    private static func fading(_ event: HapticEvent, _ controls: PatternControls) -> [Line] {
        let full = event.time + controls.attackLength(of: event, at: event.time)
        let silent = full + controls.decayLength(of: event, at: full)
        return [Line(from: event.time, to: full, 0, 1), Line(from: full, to: silent, 1, 0)]
            .filter { $0.start < $0.end }
    }

    /// An event of less than a tick gets one, or it would fall between two ticks.
    private static func lengthened(_ phases: [Line], from start: Microseconds) -> [Line] {
        let least = start + StreamTime.tick
        guard (phases.last?.end ?? start) < least else { return phases }
        let level = phases.lazy.flatMap { [$0.startValue, $0.endValue] }.max() ?? 1
        return [Line(from: start, to: least, level, level)]
    }
}

/// Pieces.
extension ContinuousShape {
    /// Adds the pieces that reach into a window, whole.
    func appendPieces(
        in window: Range<Microseconds>, _ controls: PatternControls, to pieces: inout [LayerPiece]
    ) {
        let span = max(window.lowerBound, event.time)..<min(window.upperBound, end)
        guard !span.isEmpty else { return }
        let sharpnesses = sharpnessParts(in: span, controls)
        var index = 0
        for level in levelLines(in: span, controls) {
            while index < sharpnesses.count, sharpnesses[index].end <= level.start { index += 1 }
            var other = index
            while other < sharpnesses.count, sharpnesses[other].start < level.end {
                let sharpness = sharpnesses[other]
                pieces.append(
                    LayerPiece(
                        from: max(level.start, sharpness.start), to: min(level.end, sharpness.end),
                        level: level, sharpness: sharpness.line, source: source))
                other += 1
            }
        }
    }

    /// Intensity × control × envelope.
    private func levelLines(
        in span: Range<Microseconds>, _ controls: PatternControls
    ) -> [Line] {
        var lines: [Line] = []
        for control in controls.intensity.segments(in: span) {
            for phase in phases where phase.start < control.end && control.start < phase.end {
                appendChords(of: control, phase, in: span, to: &lines)
            }
        }
        return lines
    }

    /// The product of a control and a phase: one line, or chords of a parabola if both move.
    private func appendChords(
        of control: ControlTimeline.Segment, _ phase: Line, in span: Range<Microseconds>,
        to lines: inout [Line]
    ) {
        let start = max(phase.start, control.start)
        let end = min(phase.end, control.end)
        let count = chords(from: start, to: end, control, phase)
        for index in 0..<count {
            let from = start + (end - start) / count * index
            let to = index + 1 == count ? end : start + (end - start) / count * (index + 1)
            guard from < span.upperBound, to > span.lowerBound else { continue }
            lines.append(
                Line(
                    from: from, to: to, level(at: from, control, phase),
                    level(at: to, control, phase)))
        }
    }

    private func level(
        at time: Microseconds, _ control: ControlTimeline.Segment, _ phase: Line
    ) -> Double {
        control.value(at: time) * event.intensity * phase.value(at: time)
    }

    /// How many chords keep within ``chordError`` of the parabola; none is shorter than a tick.
    private func chords(
        from start: Microseconds, to end: Microseconds, _ control: ControlTimeline.Segment,
        _ phase: Line
    ) -> Microseconds {
        guard !control.isConstant, !phase.isConstant else { return 1 }
        let rise = control.value(at: end) - control.value(at: start)
        let swing = phase.value(at: end) - phase.value(at: start)
        let bulge = abs(rise * swing * event.intensity) / 4
        let count = Microseconds((bulge / Self.chordError).squareRoot().rounded(.up))
        return max(min(count, (end - start) / StreamTime.tick), 1)
    }

    /// A tenth of the least step of the level.
    private static let chordError = 0.1 / 255

    /// Sharpness + control, limited to 0...1.
    private func sharpnessParts(
        in span: Range<Microseconds>, _ controls: PatternControls
    ) -> [LinePart] {
        var parts: [LinePart] = []
        for control in controls.sharpness.segments(in: span) {
            let line = Line(
                from: control.start, to: control.end, event.sharpness + control.startValue,
                event.sharpness + control.endValue)
            parts += line.limited().filter {
                $0.start < span.upperBound && $0.end > span.lowerBound
            }
        }
        return parts
    }
}

/// A part of a line that may reach further.
struct LinePart: Equatable {
    var start: Microseconds
    var end: Microseconds
    var line: Line
}

extension Line {
    /// The same course limited to 0...1, in up to three parts: where the line leaves the range, it
    /// is held.
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

    /// When the line passes a value, to the microsecond; nil if it does not between its ends.
    private func crossing(_ limit: Double) -> Microseconds? {
        let time = Double(start) + ((limit - startValue) / slope).rounded()
        guard time > Double(start), time < Double(end) else { return nil }
        return Microseconds(time)
    }
}
