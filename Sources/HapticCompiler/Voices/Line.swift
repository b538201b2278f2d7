// Line: a level or a sharpness that changes linearly between two times.

import HapticPatterns

/// A level or a sharpness that changes linearly between two times.
public struct Line: Sendable, Hashable {
    /// The time at which the line starts, in microseconds.
    public var start: Microseconds
    /// The time at which the line ends, in microseconds. The end is `Microseconds.max` only if the
    /// line is constant.
    public var end: Microseconds
    /// The value at ``start``; 1 is the maximum of an actuator.
    public var startValue: Double
    /// The value at ``end``.
    public var endValue: Double

    /// Creates a line.
    public init(
        from start: Microseconds, to end: Microseconds, _ startValue: Double, _ endValue: Double
    ) {
        self.start = start
        self.end = end
        self.startValue = startValue
        self.endValue = endValue
    }

    /// A line whose value is always exactly 0.
    static let silence = constant(0)

    /// Returns a line whose value is always exactly the given value.
    static func constant(_ value: Double) -> Line { Line(from: 0, to: .max, value, value) }

    /// True if the value is constant.
    public var isConstant: Bool { startValue == endValue }

    /// Returns the value at the given time. Beyond its ends, the line continues with the same
    /// slope.
    public func value(at time: Microseconds) -> Double {
        isConstant ? startValue : startValue + slope * Double(time - start)
    }

    /// The change of the value per microsecond.
    var slope: Double { isConstant ? 0 : (endValue - startValue) / Double(end - start) }
}
