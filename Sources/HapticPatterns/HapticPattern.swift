// HapticPattern: the meaning of an AHAP file: events, parameters and curves on one timeline,
// checked and in order. The spelling of the file is not represented here but in AHAPDocument.

import JSONText

/// A point in time or a duration, in microseconds.
///
/// Times of a pattern count from its start and are never negative.
public typealias Microseconds = Int64

/// A validated pattern on one timeline: the meaning of an AHAP file.
///
/// Every time is an integer in microseconds, every value lies in its range, and every default has
/// been applied. A pattern is made by ``AHAPReader``, or in code if it never was a file.
public struct HapticPattern: Sendable, Equatable, Codable {
    /// The events in ascending order of time. Events of the same time keep the order of the file.
    public let events: [HapticEvent]
    /// The abrupt parameter changes in ascending order of time. Changes of the same time keep the
    /// order of the file.
    public let parameters: [HapticDynamicParameter]
    /// The parameter curves in ascending order of time. Curves of the same time keep the order of
    /// the file.
    public let curves: [HapticParameterCurve]

    /// Makes a pattern and sorts its parts by time.
    ///
    /// Values and times are not checked: keep them inside the ranges that their types state.
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
    /// An event without a duration, and so an endless one, counts with its start. Release tails do
    /// not count. A transient's duration does: it pads the end of the pattern. See
    /// ``curvesCountInLength``.
    public var length: Microseconds {
        let eventEnd = events.lazy.map { $0.time + ($0.length ?? 0) }.max() ?? 0
        let parameterEnd = parameters.last?.time ?? 0
        let curveEnd = Self.curvesCountInLength ? curves.lazy.map(\.end).max() ?? 0 : 0
        return max(eventEnd, parameterEnd, curveEnd)
    }

    /// True if the last point of a curve counts in ``length``.
    ///
    /// Our choice: the header mentions the last "event or parameter", and a curve is a series of
    /// parameter changes.
    public static let curvesCountInLength = true

    /// True if at least one event plays until it is stopped.
    public var isEndless: Bool { events.contains(where: \.isEndless) }
}

/// A parameter that changes abruptly at one instant, for all active and future events.
public struct HapticDynamicParameter: Sendable, Equatable, Codable {
    /// The parameter that changes.
    public var id: DynamicParameterID
    /// The time of the change, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The new value, within the range of ``id``.
    public var value: Double
    /// The location of the parameter in its file; ignored by comparisons.
    @NotCompared public var location: SourceLocation?

    /// Makes a parameter change.
    public init(
        _ id: DynamicParameterID, time: Microseconds, value: Double, location: SourceLocation? = nil
    ) {
        self.id = id
        self.time = time
        self.value = value
        self.location = location
    }
}

/// A parameter that moves along straight lines from point to point (AHAP-doc, `ParameterCurve`).
public struct HapticParameterCurve: Sendable, Equatable, Codable {
    /// One control point of a curve.
    public struct Point: Sendable, Equatable, Codable {
        /// The time of the point, in microseconds from the start of the *curve*.
        public var time: Microseconds
        /// The value of the point, within the range of the curve's parameter.
        public var value: Double

        /// Makes a control point.
        public init(time: Microseconds, value: Double) {
            self.time = time
            self.value = value
        }
    }

    /// The parameter that the curve moves.
    public var id: DynamicParameterID
    /// The start of the curve, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The control points in ascending order of time; never empty in a pattern that was read. Two
    /// points at the same time form a step. A single point sets the value from there on.
    public var points: [Point]
    /// The location of the curve in its file; ignored by comparisons.
    @NotCompared public var location: SourceLocation?

    /// Makes a curve and sorts its points by time.
    public init(
        _ id: DynamicParameterID, time: Microseconds, points: [Point],
        location: SourceLocation? = nil
    ) {
        self.id = id
        self.time = time
        self.points = points.sorted { $0.time < $1.time }
        self.location = location
    }

    /// The time of the last point, in microseconds from the start of the pattern.
    public var end: Microseconds { time + (points.last?.time ?? 0) }
}
