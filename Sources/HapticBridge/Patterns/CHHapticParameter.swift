// Dynamic parameters and curves, as Core Haptics declares them.

import AHAP
import Foundation

/// A parameter of a player that changes abruptly. Its value and time may be changed from any thread,
/// and are without effect on what was made of it before.
open class CHHapticDynamicParameter: NSObject, @unchecked Sendable {
    /// What changes.
    public let parameterID: ID
    private let change: Guarded<(value: Float, time: TimeInterval)>

    /// Makes a parameter change.
    ///
    /// - Parameters:
    ///   - parameterID: one that does not exist is refused by patterns and players.
    ///   - value: 0...1 for intensity and volume, else -1...1; what lies outside is taken as the
    ///     nearest value inside.
    ///   - relativeTime: seconds from the start of the pattern, or from the time at which it is
    ///     sent to a player, 0...86,400.
    public init(parameterID: ID, value: Float, relativeTime: TimeInterval) {
        self.parameterID = parameterID
        change = Guarded((value, relativeTime))
    }

    /// The new value.
    public var value: Float {
        get { change.withLock { $0.value } }
        set { change.withLock { $0.value = newValue } }
    }

    /// When, in seconds.
    public var relativeTime: TimeInterval {
        get { change.withLock { $0.time } }
        set { change.withLock { $0.time = newValue } }
    }

    /// The parameter as a file says it.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` for a parameter that does not exist.
    func entry() throws -> AHAPDocument.Entry {
        let change = change.withLock { $0 }
        return .parameter(
            .init(
                try parameterID.known(), time: .init(change.time),
                .init(Double(decimal: change.value))))
    }
}

extension CHHapticDynamicParameter {
    /// A parameter of a pattern over time, spelled as in an AHAP file (`CHHapticParameter.h`).
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

        func known() throws -> DynamicParameterID {
            try known(.invalidParameterType, "no parameter of a pattern")
        }
    }
}

/// A parameter of a player that moves along straight lines from point to point. Its time may be
/// changed from any thread, and is without effect on what was made of it before.
open class CHHapticParameterCurve: NSObject, @unchecked Sendable {
    /// What moves.
    public let parameterID: CHHapticDynamicParameter.ID
    /// The corners, in the order in which they were given.
    public let controlPoints: [ControlPoint]
    private let start: Guarded<TimeInterval>

    /// Makes a curve.
    ///
    /// - Parameters:
    ///   - parameterID: one that does not exist is refused by patterns and players.
    ///   - controlPoints: in any order; a curve without any is refused by patterns and players.
    ///   - relativeTime: seconds from the start of the pattern, 0...86,400.
    public init(
        parameterID: CHHapticDynamicParameter.ID, controlPoints: [ControlPoint],
        relativeTime: TimeInterval
    ) {
        self.parameterID = parameterID
        self.controlPoints = controlPoints
        start = Guarded(relativeTime)
    }

    /// The start in seconds from the start of the pattern.
    public var relativeTime: TimeInterval {
        get { start.withLock { $0 } }
        set { start.withLock { $0 = newValue } }
    }

    /// The curve as a file says it.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` for a parameter that does not exist, and
    ///   `badParameterEntry` for a curve without points.
    func entry() throws -> AHAPDocument.Entry {
        let id = try parameterID.known()
        guard !controlPoints.isEmpty else {
            throw HapticError(
                .badParameterEntry, "a curve of \(parameterID) without points; give it one or more")
        }
        let points = controlPoints.map { $0.point() }
        return .parameterCurve(.init(id, time: .init(relativeTime), controlPoints: points))
    }

    /// One corner of a curve. It may be changed from any thread.
    open class ControlPoint: NSObject, @unchecked Sendable {
        private let corner: Guarded<(time: TimeInterval, value: Float)>

        /// Makes a control point.
        ///
        /// - Parameters:
        ///   - relativeTime: seconds from the start of the curve, at least 0. What comes later than a
        ///     day is never reached.
        ///   - value: as that of a ``CHHapticDynamicParameter``.
        public init(relativeTime: TimeInterval, value: Float) {
            corner = Guarded((relativeTime, value))
        }

        /// When, in seconds from the start of the curve.
        public var relativeTime: TimeInterval {
            get { corner.withLock { $0.time } }
            set { corner.withLock { $0.time = newValue } }
        }

        /// The value at that time.
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
