// Which of a pattern's continuous events is felt at which time.

internal import AHAP

/// A phase of a continuous event, for as long as no other event of its pattern is louder.
struct LoudestSpan: Sendable {
    /// The first instant, in microseconds from the start of the pattern.
    var start: Microseconds
    /// The instant after the last.
    var end: Microseconds
    /// The envelope's factor.
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

    fileprivate func part(_ interval: Range<Microseconds>) -> LoudestSpan {
        var part = self
        (part.start, part.end) = (interval.lowerBound, interval.upperBound)
        return part
    }

    fileprivate func continues(_ other: LoudestSpan) -> Bool {
        start == other.end && source == other.source && phase == other.phase
    }

    /// Whether another span is felt rather than this one from a time on.
    fileprivate func isBelow(_ other: LoudestSpan, at time: Microseconds) -> Bool {
        level.isBelow(other.level, at: time) ?? (source < other.source)
    }

    fileprivate func overtaking(
        by other: LoudestSpan, after time: Microseconds
    ) -> Microseconds? {
        level.overtaking(by: other.level, after: time)
    }
}

/// Finds the loudest of a pattern's continuous events for every instant.
///
/// All of them are under the same intensity control, which multiplies: whichever is the loudest
/// without it is so with it. So this is settled once, before any control is looked at, and the
/// control's segments are visited once, not once for each event. For n events that overlap it takes
/// O(n log n): halves are merged like sorted lists, and two lines cross once at most.
struct LoudestSpans {
    private var settled: [LoudestSpan] = []
    /// Events that overlap, directly or by way of others, phase by phase.
    private var group: [[LoudestSpan]] = []
    private var groupEnd: Microseconds = 0

    /// Adds an event, which does not start before the one that was added last.
    mutating func append(_ shape: ContinuousShape) {
        if shape.event.time >= groupEnd { settle() }
        group.append(
            shape.phases.map {
                LoudestSpan(
                    start: $0.start, end: $0.end, phase: $0, intensity: shape.event.intensity,
                    source: shape.source)
            })
        groupEnd = max(groupEnd, shape.end)
    }

    /// The spans in order of time, without overlap.
    mutating func finish() -> [LoudestSpan] {
        settle()
        return settled
    }

    private mutating func settle() {
        settled += Self.loudest(of: group[...])
        group.removeAll(keepingCapacity: true)
    }

    private static func loudest(of layers: ArraySlice<[LoudestSpan]>) -> [LoudestSpan] {
        guard layers.count > 1 else { return layers.first ?? [] }
        let middle = layers.startIndex + layers.count / 2
        return merged(loudest(of: layers[..<middle]), loudest(of: layers[middle...]))
    }

    private static func merged(_ left: [LoudestSpan], _ right: [LoudestSpan]) -> [LoudestSpan] {
        var result: [LoudestSpan] = []
        result.reserveCapacity(left.count + right.count)
        var (left, right) = (left[...], right[...])
        var time: Microseconds = 0
        while true {
            left = left.drop { $0.end <= time }
            right = right.drop { $0.end <= time }
            let (one, other) = (left.first, right.first)
            if one == nil, other == nil { return result }
            let end = min(one?.change(after: time) ?? .max, other?.change(after: time) ?? .max)
            append(one?.sounding(at: time), other?.sounding(at: time), time..<end, to: &result)
            time = end
        }
    }

    /// Adds the louder of two spans, neither of which begins or ends within an interval.
    private static func append(
        _ one: LoudestSpan?, _ other: LoudestSpan?, _ interval: Range<Microseconds>,
        to result: inout [LoudestSpan]
    ) {
        guard let one, let other else {
            if let single = one ?? other { append(single.part(interval), to: &result) }
            return
        }
        let isOther = one.isBelow(other, at: interval.lowerBound)
        let (first, second) = isOther ? (other, one) : (one, other)
        let crossing = first.overtaking(by: second, after: interval.lowerBound) ?? .max
        let middle = min(crossing, interval.upperBound)
        append(first.part(interval.lowerBound..<middle), to: &result)
        if middle < interval.upperBound {
            append(second.part(middle..<interval.upperBound), to: &result)
        }
    }

    private static func append(_ span: LoudestSpan, to result: inout [LoudestSpan]) {
        if let last = result.last, span.continues(last) {
            result[result.count - 1].end = span.end
        } else {
            result.append(span)
        }
    }
}

extension LoudestSpan {
    fileprivate func change(after time: Microseconds) -> Microseconds { start > time ? start : end }

    fileprivate func sounding(at time: Microseconds) -> LoudestSpan? { start <= time ? self : nil }
}

/// Pieces.
extension LoudestSpan {
    /// Adds what is felt of the span within a window: the event under its controls.
    func appendPieces(
        of event: HapticEvent, in window: Range<Microseconds>, _ controls: PatternControls,
        to pieces: inout [LayerPiece]
    ) {
        let (start, end) = (max(window.lowerBound, start), min(window.upperBound, end))
        guard start < end else { return }
        let sharpnesses = sharpnessParts(of: event, in: start..<end, controls)
        var index = 0
        for level in levelLines(in: start..<end, controls) {
            while index < sharpnesses.count, sharpnesses[index].end <= level.start { index += 1 }
            var other = index
            while other < sharpnesses.count, sharpnesses[other].start < level.end {
                let sharpness = sharpnesses[other]
                let piece = LayerPiece(
                    from: max(level.start, sharpness.start, self.start),
                    to: min(level.end, sharpness.end, self.end),
                    level: level, sharpness: sharpness.line, source: source)
                if piece.start < piece.end { pieces.append(piece) }
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
            appendChords(of: control, in: span, to: &lines)
        }
        return lines
    }

    /// The product of a control and a phase: one line, or chords of a parabola if both move.
    private func appendChords(
        of control: ControlTimeline.Segment, in span: Range<Microseconds>, to lines: inout [Line]
    ) {
        let start = max(phase.start, control.start)
        let end = min(phase.end, control.end)
        let count = chords(from: start, to: end, control)
        for index in 0..<count {
            let from = start + (end - start) / count * index
            let to = index + 1 == count ? end : start + (end - start) / count * (index + 1)
            guard from < span.upperBound, to > span.lowerBound else { continue }
            lines.append(
                Line(from: from, to: to, level(at: from, control), level(at: to, control)))
        }
    }

    private func level(at time: Microseconds, _ control: ControlTimeline.Segment) -> Double {
        control.value(at: time) * intensity * phase.value(at: time)
    }

    /// How many chords keep within ``chordError`` of the parabola; none is shorter than a tick.
    private func chords(
        from start: Microseconds, to end: Microseconds, _ control: ControlTimeline.Segment
    ) -> Microseconds {
        guard !control.isConstant, !phase.isConstant else { return 1 }
        let rise = control.value(at: end) - control.value(at: start)
        let swing = phase.value(at: end) - phase.value(at: start)
        let bulge = abs(rise * swing * intensity) / 4
        let count = Microseconds((bulge / Self.chordError).squareRoot().rounded(.up))
        return max(min(count, (end - start) / StreamTime.tick), 1)
    }

    /// A tenth of the least step of the level.
    private static let chordError = 0.1 / 255

    /// Sharpness + control, limited to 0...1.
    private func sharpnessParts(
        of event: HapticEvent, in span: Range<Microseconds>, _ controls: PatternControls
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
