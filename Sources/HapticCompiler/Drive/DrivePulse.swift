// DrivePulse: a stretch of drive over the levels, which the device plays as a tap.

import HapticPatterns

/// A stretch in which the actuator is driven at another level than the one that is held. Times are
/// in microseconds from the start of the stream.
struct DrivePulse: Sendable, Equatable {
    /// The start.
    var time: Microseconds
    /// The length.
    var length: Microseconds
    /// The level, 0...1.
    var level: Double
    /// The purpose of the pulse.
    var purpose: Purpose

    /// The reason why a pulse is driven.
    enum Purpose: Sendable, Equatable {
        /// An intensity is to be felt. Until `needed` the actuator rises, and a pulse for a weaker
        /// tap must wait. `designed` is the time of the tap in the pattern.
        case tap(intensity: Double, designed: Microseconds, needed: Microseconds)
        /// A level is interrupted, so that the tap that follows is felt.
        case interruption
    }

    /// The end.
    var end: Microseconds { time + length }

    /// Returns whether the pulse, which is not driven yet, is that of a tap that has begun in the pattern. The parts
    /// of a texture are none.
    func waits(at now: Microseconds) -> Bool {
        guard case .tap(_, let designed, let needed) = purpose else { return false }
        return designed < now && time < needed
    }

    /// Moves the pulse to an earlier time.
    func earlier(by time: Microseconds) -> DrivePulse {
        var pulse = self
        pulse.time -= time
        if case .tap(let intensity, let designed, let needed) = purpose {
            pulse.purpose = .tap(
                intensity: intensity, designed: designed - time, needed: needed - time)
        }
        return pulse
    }
}
