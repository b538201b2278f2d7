// HapticPattern: the events, parameters and curves that an AHAP file describes, validated and
// sorted on one timeline. In contrast, AHAPDocument represents the text of the file.

import JSONText

/// A point in time or a duration, in microseconds.
///
/// The times in a pattern are relative to the start of the pattern and are never negative.
public typealias Microseconds = Int64

/// A validated pattern on one timeline, as an AHAP file describes it.
///
/// Every time is an integer number of microseconds, every value is within its range, and all
/// default values have been applied. ``AHAPReader`` reads patterns from files; patterns can also be
/// created in code.
public struct HapticPattern: Sendable, Equatable, Codable {
    /// The events in ascending order of time. Events at the same time are in the order of the file.
    public let events: [HapticEvent]
    /// The abrupt parameter changes in ascending order of time. Changes at the same time are in the
    /// order of the file.
    public let parameters: [HapticDynamicParameter]
    /// The parameter curves in ascending order of time. Curves at the same time are in the order of
    /// the file.
    public let curves: [HapticParameterCurve]

    /// Creates a pattern and sorts its elements by time.
    ///
    /// The initializer does not check values and times, which must be within the ranges that are
    /// documented for their types.
    public init(
        events: [HapticEvent] = [],
        parameters: [HapticDynamicParameter] = [],
        curves: [HapticParameterCurve] = []
    ) {
        // The sort of the standard library is stable, so elements at equal times remain in the
        // order of the file.
        self.events = events.sorted { $0.time < $1.time }
        self.parameters = parameters.sorted { $0.time < $1.time }
        self.curves = curves.sorted { $0.time < $1.time }
    }

    /// The latest end of any event, parameter or curve, in microseconds (`CHHapticPattern.h`).
    ///
    /// An event without a duration, including an endless event, counts as ending at its start. The
    /// length includes the durations of transients, but not release tails. See
    /// ``curvesCountInLength``.
    public var length: Microseconds {
        let eventEnd = events.lazy.map { $0.time + ($0.length ?? 0) }.max() ?? 0
        let parameterEnd = parameters.last?.time ?? 0
        let curveEnd = Self.curvesCountInLength ? curves.lazy.map { $0.end }.max() ?? 0 : 0
        return max(eventEnd, parameterEnd, curveEnd)
    }

    /// True if ``length`` includes the points of curves.
    ///
    /// Apple does not specify the value of this property. The Core Haptics header mentions only the
    /// last "event or parameter"; Haptic Bridge treats a curve as a series of parameter changes.
    public static let curvesCountInLength = true

    /// True if at least one event plays until it is stopped.
    public var isEndless: Bool { events.contains(where: { $0.isEndless }) }
}

/// An abrupt change of a parameter, which affects all current and later events.
public struct HapticDynamicParameter: Sendable, Equatable, Codable {
    /// The parameter that changes.
    public var id: DynamicParameterID
    /// The time of the change, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The new value, within the range of ``id``.
    public var value: Double
    /// The location of the parameter in its file; ignored by comparisons.
    @NotCompared public var location: SourceLocation?

    /// Creates a parameter change.
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

        /// Creates a control point.
        public init(time: Microseconds, value: Double) {
            self.time = time
            self.value = value
        }
    }

    /// The parameter that the curve changes.
    public var id: DynamicParameterID
    /// The start of the curve, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The control points in ascending order of time; never empty in a pattern that was read from a
    /// file. Two points at the same time form a step. A single point sets the value from its time
    /// on.
    public var points: [Point]
    /// The location of the curve in its file; ignored by comparisons.
    @NotCompared public var location: SourceLocation?

    /// Creates a curve and sorts its points by time.
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
