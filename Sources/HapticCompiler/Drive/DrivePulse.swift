// DrivePulse: a pulse of drive, which the device plays as a tap that overrides the level.

import HapticPatterns

/// An interval in which the actuator is driven with a level that differs from the held level. Times
/// are in microseconds from the start of the stream.
struct DrivePulse: Sendable, Equatable {
    /// The start of the pulse.
    var time: Microseconds
    /// The length of the pulse.
    var length: Microseconds
    /// The level of the drive, 0...1.
    var level: Double
    /// The purpose of the pulse.
    var purpose: Purpose

    /// The purpose of a pulse.
    enum Purpose: Sendable, Equatable {
        /// The pulse renders a tap with the given intensity. The actuator rises until `needed`, and
        /// the pulse of a weaker tap must wait until then. `designed` is the time of the tap in the
        /// pattern.
        case tap(intensity: Double, designed: Microseconds, needed: Microseconds)
        /// The pulse interrupts a level so that the next tap can be felt.
        case interruption
    }

    /// The end of the pulse.
    var end: Microseconds { time + length }

    /// Returns true if the pulse has not been driven yet and renders a tap that begins before the
    /// given time in the pattern. Returns false for the taps of a texture.
    func waits(at now: Microseconds) -> Bool {
        guard case .tap(_, let designed, let needed) = purpose else { return false }
        return designed < now && time < needed
    }

    /// Returns this pulse, moved to an earlier time.
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
