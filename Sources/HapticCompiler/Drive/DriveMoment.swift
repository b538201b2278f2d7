// DriveMoment: a time at which the planner decides whether to drive the actuator with a pulse.

import HapticPatterns

/// A tap, or the start of a level for which the motor may have to be started, with the time at
/// which the drive begins.
struct DriveMoment: Sendable {
    /// The time at which the drive begins, in microseconds from the start of the stream.
    var time: Microseconds
    /// The tap; nil for the start of a level.
    var tap: VoiceTap?
    /// The tap as a part of a texture; nil if the tap is separate.
    var texture: TextureTap?
    /// The time at which the level starts, in microseconds from the start of the stream.
    var levelStart: Microseconds = 0
    /// The number of times the moment has been postponed because the actuator was already moving
    /// and needed less time than an actuator at rest.
    var delays = 0

    /// Creates the moment of a tap.
    init(_ tap: VoiceTap, at time: Microseconds) {
        self.time = time
        self.tap = tap
    }

    /// Creates the moment of a tap of a texture.
    init(_ texture: TextureTap, at time: Microseconds) {
        self.init(texture.tap, at: time)
        self.texture = texture
    }

    /// Returns this moment, postponed to the given time.
    func postponed(until time: Microseconds) -> DriveMoment {
        var moment = self
        moment.time = time
        moment.delays += 1
        return moment
    }

    /// Creates the moment at which the drive of a level begins. The drive begins no later than the
    /// level.
    init(levelAt start: Microseconds, _ time: Microseconds) {
        self.time = time
        levelStart = start
    }
}
