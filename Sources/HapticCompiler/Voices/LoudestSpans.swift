// LoudestSpans: determines the loudest continuous event of a pattern at each time.

import HapticPatterns

/// Finds the loudest continuous event of a pattern at each time.
///
/// The intensity control multiplies the levels of all events by the same factor. Therefore, the
/// event that is loudest without the control is also loudest with the control. The loudest event is
/// determined once, before the control is applied, so the segments of the control are visited only
/// once. For n overlapping events, this takes O(n log n) time: halves of the list are merged like
/// sorted lists, and two lines cross at most once.
struct LoudestSpans {
    private var settled: [LoudestSpan] = []
    /// The phases of events that overlap directly or by way of other events, with one array for
    /// each event.
    private var group: [[LoudestSpan]] = []
    private var groupEnd: Microseconds = 0

    /// Adds an event, which must not start before the previous event.
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

    /// Returns the spans in order of time, without overlaps.
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

    /// Appends the louder of two spans in an interval. Both spans must cover the whole interval.
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

/// Rendering pieces.
extension LoudestSpan {
    /// Appends the pieces of the span within a window, after applying the controls to the event.
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

    /// Returns the lines that represent the level: intensity × control × envelope.
    private func levelLines(
        in span: Range<Microseconds>, _ controls: PatternControls
    ) -> [Line] {
        var lines: [Line] = []
        for control in controls.intensity.segments(in: span) {
            appendChords(of: control, in: span, to: &lines)
        }
        return lines
    }

    /// Appends the product of a control and a phase. The product is a single line, unless both the
    /// control and the phase change. In that case, the product is a parabola, which is approximated
    /// by several chords.
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

    /// Returns the number of chords that is needed to keep the error within ``chordError``. No
    /// chord is shorter than a tick.
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

    /// The maximum error of a chord: a tenth of the smallest step of the level.
    private static let chordError = 0.1 / 255

    /// Returns the lines that represent the sharpness: sharpness + control, limited to 0...1.
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
