// DriveState: what a plan must know of the one that it replaces.

import HapticPatterns

/// The state of an actuator, and of the plan for it, at a time. Times are in microseconds from that
/// time; they are not above 0, except for the end of the pulse and for taps that wait.
public struct DriveState: Sendable {
    /// The amplitude or the speed, 1 at the rated voltage.
    var amplitude = 0.0
    /// The newest pulse. One that is not over goes on, whatever replaces the plan.
    var pulse: DrivePulse?
    /// The taps that have begun in the pattern, and are driven once the actuator has risen for another one.
    var waiting: [DriveMoment] = []
    /// The time at which a level was last interrupted for a tap; nil if none was.
    var lastInterruption: Microseconds?
    /// The tap from which a texture continues; nil if there is none.
    var texture: VoiceTap?

    /// The state of an actuator at rest.
    public init() {}
}
