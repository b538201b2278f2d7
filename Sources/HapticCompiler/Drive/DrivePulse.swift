// DrivePulse: a stretch of drive over the levels, which the device plays as a tap.

import HapticPatterns

/// A stretch in which the actuator is driven at another level than the one that is held.
struct DrivePulse: Sendable, Equatable {
    /// The start, in microseconds from the start of the stream.
    var time: Microseconds
    /// The length in microseconds.
    var length: Microseconds
    /// The drive, 0...1.
    var level: Double

    /// The end, in microseconds from the start of the stream.
    var end: Microseconds { time + length }
}
