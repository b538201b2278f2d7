// HapticPattern: the meaning of an AHAP file: events, parameters and curves on one timeline,
// validated and sorted. AHAPDocument represents the text of the file.

import JSONText

/// A point in time or a duration, in microseconds.
///
/// Times of a pattern are relative to its start and never negative.
public typealias Microseconds = Int64

/// A validated pattern on one timeline: the meaning of an AHAP file.
///
/// Every time is an integer in microseconds, every value is within its range, and all defaults have
/// been applied. A pattern is read from a file by ``AHAPReader``, or created in code.
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
    /// The initializer does not check values and times. They must be within the ranges that their
    /// types document.
    public init(
        events: [HapticEvent] = [],
        parameters: [HapticDynamicParameter] = [],
        curves: [HapticParameterCurve] = []
    ) {
        // Sorting is stable in the standard library, so elements at equal times keep the order of
        // the file.
        self.events = events.sorted { $0.time < $1.time }
        self.parameters = parameters.sorted { $0.time < $1.time }
        self.curves = curves.sorted { $0.time < $1.time }
    }

    /// The latest end of any event, parameter or curve, in microseconds (`CHHapticPattern.h`).
    ///
    /// An event without a duration ends at its start, including an endless event. The duration of a
    /// transient is included; release tails are not. See ``curvesCountInLength``.
    public var length: Microseconds {
        let eventEnd = events.lazy.map { $0.time + ($0.length ?? 0) }.max() ?? 0
        let parameterEnd = parameters.last?.time ?? 0
        let curveEnd = Self.curvesCountInLength ? curves.lazy.map(\.end).max() ?? 0 : 0
        return max(eventEnd, parameterEnd, curveEnd)
    }

    /// True if ``length`` includes the points of curves.
    ///
    /// This is our choice: the header mentions the last "event or parameter", and a curve is a
    /// series of parameter changes.
    public static let curvesCountInLength = true

    /// True if at least one event plays until it is stopped.
    public var isEndless: Bool { events.contains(where: \.isEndless) }
}

/// An abrupt change of a parameter, for all active and later events.
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

/// A change of a parameter along straight lines between points (AHAP-doc, `ParameterCurve`).
public struct HapticParameterCurve: Sendable, Equatable, Codable {
    /// A control point of a curve.
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

    /// The parameter that the curve changes.
    public var id: DynamicParameterID
    /// The start of the curve, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The control points in ascending order of time; never empty in a pattern that was read. Two
    /// points at the same time form a step. A single point sets the value from its time on.
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
