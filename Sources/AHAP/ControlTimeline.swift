// The value of one dynamic parameter at every instant of a pattern.
// Built once, then read in windows: the compiler renders [t, t + dt) after [t - dt, t).

/// How one dynamic parameter of a pattern moves over time.
///
/// The rules (AHAP-doc; where it is silent, our choice):
/// - before the first parameter or point the default of the id is in force;
/// - a parameter changes the value abruptly, at its time; a curve moves on straight lines through
///   its points, and at its first point it steps there from whatever was in force;
/// - the last value holds;
/// - whoever starts later owns the value from then on: a curve that is cut off does not come back.
///   *Our choice*, since "overrides" is all that Apple says;
/// - at the same instant a curve overrides a parameter, because the other order would leave a
///   whole curve without effect: *our choice*. Of two curves, or two parameters, the later in the
///   file wins.
///
/// Building takes O(n log n) for n points and parameters, a look-up O(log n).
public struct ControlTimeline: Sendable, Equatable {
    /// A stretch of time on which the value is constant or moves along one straight line.
    public struct Segment: Sendable, Equatable {
        /// The first instant, in microseconds from the start of the pattern.
        public var start: Microseconds
        /// The instant after the last; `Microseconds.max` for the segment that never ends.
        public var end: Microseconds
        /// The value at ``start``.
        public var startValue: Double
        /// The value that is reached at ``end``; there the next segment decides.
        public var endValue: Double

        /// Makes a segment; `end` lies after `start`.
        public init(
            start: Microseconds, end: Microseconds, startValue: Double, endValue: Double
        ) {
            self.start = start
            self.end = end
            self.startValue = startValue
            self.endValue = endValue
        }

        /// Whether the value does not change within the segment.
        public var isConstant: Bool { startValue == endValue }

        /// The value at a time within the segment.
        public func value(at time: Microseconds) -> Double {
            guard !isConstant, end > start else { return startValue }
            let fraction = Double(time - start) / Double(end - start)
            return startValue + (endValue - startValue) * fraction
        }
    }

    /// What the time line is of.
    public let id: DynamicParameterID
    /// Segments without gap or overlap from 0 to `Microseconds.max`, none of them empty.
    public let segments: [Segment]

    /// Lays the parameters and curves of one id on one line.
    public init(_ id: DynamicParameterID, of pattern: HapticPattern) {
        self.init(id, parameters: pattern.parameters, curves: pattern.curves)
    }

    /// Lays the parameters and curves of one id on one line; those of other ids are passed over.
    public init(
        _ id: DynamicParameterID, parameters: [HapticDynamicParameter],
        curves: [HapticParameterCurve]
    ) {
        self.id = id
        self.segments = Self.segments(
            from: Self.writers(of: id, parameters, curves), default: id.defaultValue)
    }

    /// The value in force at a time. Before 0 it is the default.
    public func value(at time: Microseconds) -> Double {
        time < 0 ? id.defaultValue : segments[index(at: time)].value(at: time)
    }

    /// The segments that have at least one instant in a window; their ends may lie outside of it.
    public func segments(in window: Range<Microseconds>) -> ArraySlice<Segment> {
        guard !window.isEmpty, window.upperBound > 0 else { return [] }
        let first = index(at: max(window.lowerBound, 0))
        return segments[first...index(at: window.upperBound - 1)]
    }

    /// Binary search for the segment that holds a time of 0 or later.
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
    /// A parameter or a curve, as corners in pattern time. Never empty.
    private typealias Writer = [HapticParameterCurve.Point]

    /// Everything that writes an id, by start. Parameters go first, and the sort is stable: so a
    /// curve follows, and wins over, a parameter of the same instant.
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

    /// Adds the lines of one writer, cut off where the next one takes over.
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
            // Of points at the same time the last one counts: the others last no time at all.
            if segment.end > segment.start { segments.append(segment) }
        }
    }
}
