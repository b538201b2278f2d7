// DriveMoment: a moment at which a plan decides on a pulse.

import HapticPatterns

/// A tap of the pattern, or the start of a level on a motor that may stand still.
struct DriveMoment: Sendable {
    /// The time at which the drive begins, in microseconds from the start of the stream.
    var time: Microseconds
    /// The tap; nil for the start of a level.
    var tap: VoiceTap?

    /// Makes the moment of a tap.
    init(_ tap: VoiceTap, at time: Microseconds) {
        self.time = time
        self.tap = tap
    }

    /// Makes the moment at which a level starts.
    init(levelAt time: Microseconds) { self.time = time }
}
