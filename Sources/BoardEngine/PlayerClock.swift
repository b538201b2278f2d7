// PlayerClock: the conversion between engine time and the time of a player's pattern.

import BridgeLink
import HapticPatterns

/// The position of a player. From the engine time `engine` on, the pattern continues from the
/// pattern time `pattern` at the playback rate `rate`.
///
/// Times that the clock never reaches are `HostTime.never` or `Microseconds.max`. No calculation
/// overflows.
package struct PlayerClock: Sendable, Equatable {
    /// The engine time, which is host time.
    package var engine: HostTime
    /// The pattern's own time at the engine time, in microseconds.
    package var pattern: Microseconds
    /// The number of pattern seconds per engine second, within ``rates``.
    package var rate: Double

    /// The range of playback rates.
    package static let rates = 1.0 / 64...64.0

    /// Returns the pattern's time at an engine time.
    package func pattern(at time: HostTime) -> Microseconds {
        guard rate != 1 else { return Self.limited(pattern + (time - engine)) }
        return Self.sum(pattern, Double(time - engine) * rate)
    }

    /// Returns the engine time at which a pattern time is reached; `HostTime.never` if the pattern
    /// time is never reached.
    package func engine(at time: Microseconds) -> HostTime {
        guard time < Self.never else { return .never }
        let (start, elapsed) = (engine.microseconds, time - pattern)
        return HostTime(
            microseconds: rate == 1
                ? Self.limited(start + elapsed) : Self.sum(start, Double(elapsed) / rate))
    }

    /// Returns the earliest pattern time that is reached at an engine time or later.
    func firstPattern(at time: HostTime) -> Microseconds {
        guard rate != 1 else { return pattern(at: time) }
        // A pattern time that is reached up to half a microsecond earlier is rounded to `time`.
        let first = Self.sum(pattern, ((Double(time - engine) - 0.5) * rate).rounded(.up))
        guard first < Self.never else { return .max }
        // The division and the rounding are off by at most one.
        if engine(at: first) < time { return first + 1 }
        return engine(at: first - 1) >= time ? first - 1 : first
    }

    private static func sum(_ time: Microseconds, _ other: Double) -> Microseconds {
        // Each of the two summands is far below a value at which the sum could overflow.
        let limit = Double(never)
        return limited(time + Microseconds(min(max(other, -limit), limit).rounded()))
    }

    private static func limited(_ time: Microseconds) -> Microseconds {
        time < never ? max(time, -never) : .max
    }

    /// The smallest end time that represents the absence of an end.
    private static let never = Microseconds.max / 4
}

/// An interval of engine time in which a pattern plays with one clock.
package struct ClockedSpan: Sendable, Equatable {
    package var start: HostTime
    /// The end, which is excluded.
    package var end: HostTime
    package var clock: PlayerClock

    /// Returns the pattern time at an engine time, both in unrounded microseconds.
    package func pattern(at time: Double) -> Double {
        Double(clock.pattern) + (time - Double(clock.engine.microseconds)) * clock.rate
    }
}
