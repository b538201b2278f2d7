// Dynamic parameters and curves as Core Haptics has them, on AHAP's value types.

import AHAP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A parameter of a player that changes abruptly.
public typealias HapticDynamicParameter = AHAP.HapticDynamicParameter
/// A parameter of a player that moves from point to point.
public typealias HapticParameterCurve = AHAP.HapticParameterCurve
/// Core Haptics' spelling.
public typealias CHHapticDynamicParameter = AHAP.HapticDynamicParameter
/// Core Haptics' spelling.
public typealias CHHapticParameterCurve = AHAP.HapticParameterCurve

extension AHAP.HapticDynamicParameter {
    /// Core Haptics' name of the parameters that a player has.
    public typealias ID = DynamicParameterID

    /// Makes a parameter change.
    ///
    /// - Parameters:
    ///   - value: outside the range of the parameter it is taken as the nearest inside.
    ///   - relativeTime: seconds from the start of the pattern, or from the time at which it is
    ///     sent to a player; at least 0.
    public init(parameterID: ID, value: Float, relativeTime: TimeInterval) {
        self.init(
            parameterID, time: Microseconds(seconds: relativeTime),
            value: Double(decimal: value).limited(to: parameterID.range))
    }

    /// What changes.
    public var parameterID: ID { id }

    /// When, in seconds.
    public var relativeTime: TimeInterval {
        get { time.seconds }
        set { time = Microseconds(seconds: newValue) }
    }
}

extension AHAP.HapticParameterCurve {
    /// Core Haptics' name of a corner.
    public typealias ControlPoint = Point

    /// Makes a curve.
    ///
    /// - Parameters:
    ///   - controlPoints: in any order; at least one.
    ///   - relativeTime: seconds from the start of the pattern, at least 0.
    public init(
        parameterID: DynamicParameterID, controlPoints: [ControlPoint], relativeTime: TimeInterval
    ) {
        self.init(
            parameterID, time: Microseconds(seconds: relativeTime),
            points: controlPoints.map {
                Point(time: $0.time, value: $0.value.limited(to: parameterID.range))
            })
    }

    /// What moves.
    public var parameterID: DynamicParameterID { id }
    /// The corners by ascending time.
    public var controlPoints: [ControlPoint] { points }

    /// The start in seconds from the start of the pattern.
    public var relativeTime: TimeInterval {
        get { time.seconds }
        set { time = Microseconds(seconds: newValue) }
    }
}

extension AHAP.HapticParameterCurve.Point {
    /// Makes a control point.
    ///
    /// - Parameter relativeTime: seconds from the start of the curve, at least 0.
    public init(relativeTime: TimeInterval, value: Float) {
        self.init(time: Microseconds(seconds: relativeTime), value: Double(decimal: value))
    }

    /// When, in seconds from the start of the curve.
    public var relativeTime: TimeInterval {
        get { time.seconds }
        set { time = Microseconds(seconds: newValue) }
    }
}
