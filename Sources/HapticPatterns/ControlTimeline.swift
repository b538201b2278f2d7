// ControlTimeline: the values of one dynamic parameter over the course of a pattern. The compiler
// builds a timeline once and then reads it in consecutive windows.

/// The values of one dynamic parameter over the course of a pattern.
///
/// The rules follow AHAP-doc. For cases that AHAP-doc does not specify, this project has chosen
/// rules of its own:
/// - Before the first parameter or point, the default value of the id applies.
/// - A parameter changes the value abruptly at its time. A curve changes the value along straight
///   lines through its points. At the first point, the value jumps to the value of that point.
/// - The last value remains in effect.
/// - A parameter or curve that starts later overrides an earlier one. A curve that has been
///   overridden does not resume: *our choice*, because Apple's documentation only uses the word
///   "overrides".
/// - If a curve and a parameter start at the same time, the curve overrides the parameter, because
///   otherwise the whole curve would have no effect: *our choice*. If several curves, or several
///   parameters, start at the same time, the last one in the file takes precedence.
///
/// Building a timeline takes O(n log n) time for n points and parameters; a lookup takes O(log n)
/// time.
public struct ControlTimeline: Sendable, Equatable {
    /// An interval in which the value is constant or changes linearly.
    public struct Segment: Sendable, Equatable {
        /// The start of the segment, in microseconds from the start of the pattern.
        public var start: Microseconds
        /// The end of the segment (exclusive), in microseconds; `Microseconds.max` if the segment
        /// never ends.
        public var end: Microseconds
        /// The value at ``start``.
        public var startValue: Double
        /// The value that the segment approaches at ``end``. At ``end`` itself, the value of the
        /// next segment applies.
        public var endValue: Double

        /// Creates a segment. `end` must be later than `start`.
        public init(
            start: Microseconds, end: Microseconds, startValue: Double, endValue: Double
        ) {
            self.start = start
            self.end = end
            self.startValue = startValue
            self.endValue = endValue
        }

        /// True if the value is constant throughout the segment.
        public var isConstant: Bool { startValue == endValue }

        /// Returns the value at the given time, which must be within the segment.
        public func value(at time: Microseconds) -> Double {
            guard !isConstant, end > start else { return startValue }
            let fraction = Double(time - start) / Double(end - start)
            return startValue + (endValue - startValue) * fraction
        }
    }

    /// The dynamic parameter that the timeline describes.
    public let id: DynamicParameterID
    /// The segments from 0 to `Microseconds.max`, without gaps or overlaps. No segment is empty.
    public let segments: [Segment]

    /// Combines the parameters and curves of one id into a timeline.
    public init(_ id: DynamicParameterID, of pattern: HapticPattern) {
        self.init(id, parameters: pattern.parameters, curves: pattern.curves)
    }

    /// Combines the parameters and curves of one id into a timeline. Parameters and curves of other
    /// ids are ignored.
    public init(
        _ id: DynamicParameterID, parameters: [HapticDynamicParameter],
        curves: [HapticParameterCurve]
    ) {
        self.id = id
        self.segments = Self.segments(
            from: Self.writers(of: id, parameters, curves), default: id.defaultValue)
    }

    /// Returns the value at the given time; the default value if the time is before 0.
    public func value(at time: Microseconds) -> Double {
        time < 0 ? id.defaultValue : segments[index(at: time)].value(at: time)
    }

    /// Returns the segments that overlap a window. They may extend beyond the window.
    public func segments(in window: Range<Microseconds>) -> ArraySlice<Segment> {
        guard !window.isEmpty, window.upperBound > 0 else { return [] }
        let first = index(at: max(window.lowerBound, 0))
        return segments[first...index(at: window.upperBound - 1)]
    }

    /// Returns the index of the segment that contains the given time, using binary search. The time
    /// must not be negative.
    private func index(at time: Microseconds) -> Int {
        var low = 0
        var high = segments.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if segments[middle].start <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

extension ControlTimeline {
    /// A parameter or a curve, represented as a list of points. Times are relative to the start of
    /// the pattern, and the list is never empty.
    private typealias Writer = [HapticParameterCurve.Point]

    /// Returns all parameters and curves of an id, sorted by start. Parameters are added first, and
    /// the sort is stable, so a curve follows a parameter that starts at the same time, and
    /// overrides it.
    private static func writers(
        of id: DynamicParameterID, _ parameters: [HapticDynamicParameter],
        _ curves: [HapticParameterCurve]
    ) -> [Writer] {
        var writers: [Writer] = parameters.lazy.filter { $0.id == id }
            .map { [HapticParameterCurve.Point(time: $0.time, value: $0.value)] }
        for curve in curves where curve.id == id && !curve.points.isEmpty {
            writers.append(curve.points.map { .init(time: curve.time + $0.time, value: $0.value) })
        }
        return writers.sorted { $0[0].time < $1[0].time }
    }

    private static func segments(from writers: [Writer], default value: Double) -> [Segment] {
        var segments: [Segment] = []
        let first = writers.first?[0].time ?? .max
        if first > 0 {
            segments.append(Segment(start: 0, end: first, startValue: value, endValue: value))
        }
        for (index, writer) in writers.enumerated() {
            let end = index + 1 < writers.count ? writers[index + 1][0].time : .max
            append(writer, until: end, to: &segments)
        }
        return segments
    }

    /// Appends the lines of one parameter or curve, up to the start of the next.
    private static func append(
        _ writer: Writer, until end: Microseconds, to segments: inout [Segment]
    ) {
        for (index, point) in writer.enumerated() where point.time < end {
            let isLast = index + 1 == writer.count
            let next = isLast ? .init(time: .max, value: point.value) : writer[index + 1]
            var segment = Segment(
                start: point.time, end: next.time, startValue: point.value, endValue: next.value)
            if next.time > end {
                segment.endValue = segment.value(at: end)
                segment.end = end
            }
            // If several points have the same time, the last of them is used, because the segments
            // of the others are empty.
            if segment.end > segment.start { segments.append(segment) }
        }
    }
}
