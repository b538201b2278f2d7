// What an AHAP file means: events, parameters and curves on one time line, checked and in order.
// Nothing here knows how the file was spelled; that is AHAPDocument's subject.

/// A point in time or a length of time, in microseconds.
///
/// Times of a pattern count from its start and are never negative.
public typealias Microseconds = Int64

/// A validated pattern on one time line: what an AHAP file means.
///
/// Every time is an integer in microseconds, every value lies in its range, and every default has
/// been applied. Made by ``AHAPReader``, or by hand for a pattern that never was a file.
public struct HapticPattern: Sendable, Equatable {
    /// The events by ascending time; events of the same time keep the order of the file.
    public let events: [HapticEvent]
    /// The abrupt parameter changes by ascending time; the same rule for equal times.
    public let parameters: [HapticDynamicParameter]
    /// The parameter curves by ascending time; the same rule for equal times.
    public let curves: [HapticParameterCurve]

    /// Makes a pattern and puts its parts in order of time.
    ///
    /// Values and times are taken as they are: keep them inside the ranges that their types state.
    public init(
        events: [HapticEvent] = [],
        parameters: [HapticDynamicParameter] = [],
        curves: [HapticParameterCurve] = []
    ) {
        // The standard library's sort is stable, which keeps the file's order at equal times.
        self.events = events.sorted { $0.time < $1.time }
        self.parameters = parameters.sorted { $0.time < $1.time }
        self.curves = curves.sorted { $0.time < $1.time }
    }

    /// The latest end of any event, parameter or curve, in microseconds (`CHHapticPattern.h`).
    ///
    /// An event without a duration counts with its start, and so does an endless one. Release
    /// tails do not count. A transient's duration does: it pads the end of the pattern.
    /// See ``curvesCountInLength``.
    public var length: Microseconds {
        let eventEnd = events.lazy.map { $0.time + ($0.length ?? 0) }.max() ?? 0
        let parameterEnd = parameters.last?.time ?? 0
        let curveEnd = Self.curvesCountInLength ? curves.lazy.map(\.end).max() ?? 0 : 0
        return max(eventEnd, parameterEnd, curveEnd)
    }

    /// Whether the last point of a curve counts in ``length``.
    ///
    /// Our choice: the header speaks of the last "event or parameter", and a curve is a row of
    /// parameter changes.
    public static let curvesCountInLength = true

    /// Whether some event plays until it is stopped.
    public var isEndless: Bool { events.contains(where: \.isEndless) }
}

/// A parameter that changes abruptly at one instant, for all active and future events.
public struct HapticDynamicParameter: Sendable, Equatable {
    /// What changes.
    public var id: DynamicParameterID
    /// When, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The new value, within the range of ``id``.
    public var value: Double
    /// Where the parameter stands in its file; not compared.
    @NotCompared public var place: SourcePlace?

    /// Makes a parameter change.
    public init(
        _ id: DynamicParameterID, time: Microseconds, value: Double, place: SourcePlace? = nil
    ) {
        self.id = id
        self.time = time
        self.value = value
        self.place = place
    }
}

/// A parameter that moves along straight lines from point to point (AHAP-doc, `ParameterCurve`).
public struct HapticParameterCurve: Sendable, Equatable {
    /// One corner of a curve.
    public struct Point: Sendable, Equatable {
        /// When, in microseconds from the start of the *curve*.
        public var time: Microseconds
        /// The value at that time, within the range of the curve's parameter.
        public var value: Double

        /// Makes a control point.
        public init(time: Microseconds, value: Double) {
            self.time = time
            self.value = value
        }
    }

    /// What moves.
    public var id: DynamicParameterID
    /// The start of the curve, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The corners by ascending time; never empty in a pattern that was read. Two corners at the
    /// same time are a step; one corner alone sets the value from there on.
    public var points: [Point]
    /// Where the curve stands in its file; not compared.
    @NotCompared public var place: SourcePlace?

    /// Makes a curve and puts its points in order of time.
    public init(
        _ id: DynamicParameterID, time: Microseconds, points: [Point], place: SourcePlace? = nil
    ) {
        self.id = id
        self.time = time
        self.points = points.sorted { $0.time < $1.time }
        self.place = place
    }

    /// The time of the last point, in microseconds from the start of the pattern.
    public var end: Microseconds { time + (points.last?.time ?? 0) }
}
