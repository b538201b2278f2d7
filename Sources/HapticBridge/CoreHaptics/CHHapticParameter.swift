// Dynamic parameters and parameter curves, with the names that Core Haptics declares.

import AHAP
import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

/// An abrupt change of a player's parameter. Any thread may change its value and its time. A change
/// has no effect on patterns that already contain the parameter, or on players that have already
/// received the parameter.
open class CHHapticDynamicParameter: NSObject, @unchecked Sendable {
    /// The id of the parameter that changes.
    public let parameterID: ID
    private let change: LockedValue<(value: Float, time: TimeInterval)>

    /// Creates a parameter change.
    ///
    /// - Parameters:
    ///   - parameterID: the parameter that changes. Patterns and players reject an unknown id.
    ///   - value: the new value, 0...1 for intensity and volume, otherwise -1...1. A value outside
    ///     the range is clamped.
    ///   - relativeTime: the time of the change in seconds, 0...86,400, from the start of the
    ///     pattern or from the time at which the parameter is sent to a player.
    public init(parameterID: ID, value: Float, relativeTime: TimeInterval) {
        self.parameterID = parameterID
        change = LockedValue((value, relativeTime))
    }

    /// The new value of the parameter.
    public var value: Float {
        get { change.withLock { $0.value } }
        set { change.withLock { $0.value = newValue } }
    }

    /// The time of the change, in seconds from the start of the pattern or from the time at which
    /// the parameter is sent to a player.
    public var relativeTime: TimeInterval {
        get { change.withLock { $0.time } }
        set { change.withLock { $0.time = newValue } }
    }

    /// Returns the parameter as an entry of an AHAP document.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` for an unknown parameter.
    func entry() throws(HapticError) -> AHAPDocument.Entry {
        let change = change.withLock { $0 }
        return .parameter(
            .init(
                try parameterID.known(), time: .init(change.time),
                .init(Double(decimal: change.value))))
    }
}

extension CHHapticDynamicParameter {
    /// The id of a dynamic parameter, spelled as in an AHAP file (`CHHapticParameter.h`).
    public struct ID: HapticName {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ id: DynamicParameterID) { rawValue = id.rawValue }

        /// Scales the intensity of haptic events.
        public static let hapticIntensityControl = ID(.hapticIntensityControl)
        /// Shifts the sharpness of haptic continuous events.
        public static let hapticSharpnessControl = ID(.hapticSharpnessControl)
        /// Shifts the attack adjuster of haptic continuous events.
        public static let hapticAttackTimeControl = ID(.hapticAttackTimeControl)
        /// Shifts the decay adjuster of haptic continuous events.
        public static let hapticDecayTimeControl = ID(.hapticDecayTimeControl)
        /// Shifts the release adjuster of haptic continuous events.
        public static let hapticReleaseTimeControl = ID(.hapticReleaseTimeControl)
        /// Scales the volume of audio events.
        public static let audioVolumeControl = ID(.audioVolumeControl)
        /// Shifts the pan of audio events.
        public static let audioPanControl = ID(.audioPanControl)
        /// Shifts the brightness of audio events.
        public static let audioBrightnessControl = ID(.audioBrightnessControl)
        /// Shifts the pitch of audio events.
        public static let audioPitchControl = ID(.audioPitchControl)
        /// Shifts the attack adjuster of audio events.
        public static let audioAttackTimeControl = ID(.audioAttackTimeControl)
        /// Shifts the decay adjuster of audio events.
        public static let audioDecayTimeControl = ID(.audioDecayTimeControl)
        /// Shifts the release adjuster of audio events.
        public static let audioReleaseTimeControl = ID(.audioReleaseTimeControl)

        func known() throws(HapticError) -> DynamicParameterID {
            try known(.invalidParameterType, "not a dynamic parameter")
        }
    }
}

/// A change of a player's parameter along straight lines between control points. Any thread may
/// change its time. A change has no effect on patterns that already contain the curve, or on
/// players that have already received the curve.
open class CHHapticParameterCurve: NSObject, @unchecked Sendable {
    /// The id of the parameter that changes.
    public let parameterID: CHHapticDynamicParameter.ID
    /// The control points, in the order in which the app provided them.
    public let controlPoints: [ControlPoint]
    private let start: LockedValue<TimeInterval>

    /// Creates a curve.
    ///
    /// - Parameters:
    ///   - parameterID: the parameter that changes. Patterns and players reject an unknown id.
    ///   - controlPoints: the control points, in any order. Patterns and players reject a curve
    ///     without control points.
    ///   - relativeTime: the start of the curve, in seconds from the start of the pattern,
    ///     0...86,400.
    public init(
        parameterID: CHHapticDynamicParameter.ID, controlPoints: [ControlPoint],
        relativeTime: TimeInterval
    ) {
        self.parameterID = parameterID
        self.controlPoints = controlPoints
        start = LockedValue(relativeTime)
    }

    /// The start of the curve, in seconds from the start of the pattern.
    public var relativeTime: TimeInterval {
        get { start.withLock { $0 } }
        set { start.withLock { $0 = newValue } }
    }

    /// Returns the curve as an entry of an AHAP document.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` for an unknown parameter, and
    ///   `badParameterEntry` for a curve without control points.
    func entry() throws(HapticError) -> AHAPDocument.Entry {
        let id = try parameterID.known()
        guard !controlPoints.isEmpty else {
            throw HapticError(
                .badParameterEntry,
                "a curve of \(parameterID) has no control points; add at least one")
        }
        let points = controlPoints.map { $0.point() }
        return .parameterCurve(.init(id, time: .init(relativeTime), controlPoints: points))
    }

    /// A control point of a curve. Any thread may change its time and its value.
    open class ControlPoint: NSObject, @unchecked Sendable {
        private let corner: LockedValue<(time: TimeInterval, value: Float)>

        /// Creates a control point.
        ///
        /// - Parameters:
        ///   - relativeTime: the time in seconds from the start of the curve, at least 0. A point
        ///     more than a day after the start is never reached.
        ///   - value: the value, in the range of a ``CHHapticDynamicParameter``.
        public init(relativeTime: TimeInterval, value: Float) {
            corner = LockedValue((relativeTime, value))
        }

        /// The time of the control point, in seconds from the start of the curve.
        public var relativeTime: TimeInterval {
            get { corner.withLock { $0.time } }
            set { corner.withLock { $0.time = newValue } }
        }

        /// The value of the parameter at the control point.
        public var value: Float {
            get { corner.withLock { $0.value } }
            set { corner.withLock { $0.value = newValue } }
        }

        fileprivate func point() -> AHAPDocument.ControlPoint {
            let corner = corner.withLock { $0 }
            return .init(time: .init(corner.time), .init(Double(decimal: corner.value)))
        }
    }
}
