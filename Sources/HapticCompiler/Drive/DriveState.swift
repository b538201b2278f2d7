// DriveState: the state of a drive plan that a replacing plan continues from.

import HapticPatterns

/// The state of an actuator and of its plan at a reference time. Times are in microseconds from the
/// reference time. They are at most 0, except for the end of the pulse and the waiting taps.
public struct DriveState: Sendable {
    /// The amplitude or the speed, where 1 is that at the rated voltage.
    var amplitude = 0.0
    /// The latest pulse. If it has not ended, it continues under the replacing plan.
    var pulse: DrivePulse?
    /// The taps that have begun in the pattern, but whose drive waits until the actuator has risen
    /// for another tap.
    var waiting: [DriveMoment] = []
    /// The time at which a level was last interrupted for a tap; nil if no level was interrupted.
    var lastInterruption: Microseconds?
    /// The last tap of a texture that may continue; nil if there is no such texture.
    var texture: VoiceTap?

    /// Makes the state of an actuator at rest.
    public init() {}
}
