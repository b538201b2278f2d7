// ControlTimeline: the values of one dynamic parameter over the course of a pattern. The compiler
// builds a timeline once and then reads it in consecutive windows.

/// The values of one dynamic parameter over the course of a pattern.
///
/// The rules follow AHAP-doc. This project has chosen its own rules for cases that AHAP-doc does
/// not specify:
/// - Before the first parameter or point, the default value of the id applies.
/// - A parameter changes the value abruptly at its time. A curve changes the value along straight
///   lines through its points. At the first point, the value jumps to the value of that point.
/// - The last value remains in effect.
/// - A parameter or curve that starts later overrides an earlier parameter or curve. A curve that
///   has been overridden does not resume: *our choice*, because Apple's documentation only uses the
///   word "overrides".
/// - If a curve and a parameter start at the same time, the curve overrides the parameter, because
///   otherwise the whole curve would have no effect: *our choice*. If several curves, or several
///   parameters, start at the same time, the last curve or parameter in the file takes precedence.
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
        self.init(id, of: pattern.controls)
    }

    /// Combines the parameters and curves of one id into a timeline.
    ///
    /// - Parameter controls: parameters and curves of any ids in ascending order of their starts.
    ///   Of the controls that start at the same time, the last one takes precedence.
    public init(_ id: DynamicParameterID, of controls: [ControlCurve]) {
        self.id = id
        self.segments = Self.segments(of: id, controls)
    }

    /// Returns the value at the given time; the default value if the time is before 0.
    public func value(at time: Microseconds) -> Double {
        time < 0 ? id.defaultValue : segments[index(at: time)].value(at: time)
    }

    /// Returns the segments that overlap a window. A segment may extend beyond the window.
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
    private static func segments(
        of id: DynamicParameterID, _ controls: [ControlCurve]
    ) -> [Segment] {
        var segments: [Segment] = []
        // Before the first parameter or curve, the default value applies.
        var current = ControlCurve(id, start: 0, value: id.defaultValue)
        for control in controls where control.id == id {
            append(current, until: control.start, to: &segments)
            current = control
        }
        append(current, until: .max, to: &segments)
        return segments
    }

    /// Appends the lines of one parameter or curve, up to the start of the next. If several points
    /// have the same time, the last of these points is used, because the segments of the other
    /// points are empty.
    private static func append(
        _ control: ControlCurve, until end: Microseconds, to segments: inout [Segment]
    ) {
        var (start, value) = (control.start, control.value)
        for point in control.rest {
            guard start < end else { return }
            var segment = Segment(
                start: start, end: point.time, startValue: value, endValue: point.value)
            if point.time > end {
                segment.endValue = segment.value(at: end)
                segment.end = end
            }
            if segment.end > segment.start { segments.append(segment) }
            (start, value) = (point.time, point.value)
        }
        guard start < end else { return }
        segments.append(Segment(start: start, end: end, startValue: value, endValue: value))
    }
}
