// DriveState: the state of a drive plan from which another plan continues.

import HapticPatterns

/// The state of an actuator and of its drive plan at a reference time. Times are in microseconds
/// relative to the reference time. All times are at most 0, except the end of the pulse and the
/// times of the waiting taps.
public struct DriveState: Sendable {
    /// The amplitude or the speed, where 1 is the value at the rated voltage.
    var amplitude = 0.0
    /// The latest pulse. If the pulse has not ended, it continues under the new plan.
    var pulse: DrivePulse?
    /// The taps that have begun in the pattern but are not driven yet. These taps wait until the
    /// actuator has reached the strength of another tap.
    var waiting: [DriveMoment] = []
    /// The time at which a level was last interrupted in favor of a tap; nil if no level was
    /// interrupted.
    var lastInterruption: Microseconds?
    /// The last tap of a texture that may continue; nil if no texture may continue.
    var texture: VoiceTap?

    /// Creates the state of an actuator that is at rest.
    public init() {}

    /// Removes the waiting taps that another drive has already played.
    ///
    /// - Parameter isPlayed: a closure that returns whether a tap was played, given its time in
    ///   microseconds relative to the reference time.
    package mutating func removeWaitingTaps(where isPlayed: (Microseconds) -> Bool) {
        waiting.removeAll { $0.tap.map { isPlayed($0.time) } ?? false }
    }
}
