// HostTime: a time on the host's clock. The type prevents confusion with durations and with the
// device's clock.

/// A time on the host's monotonic clock, or on the clock of a test. A session never reads a clock
/// itself; its callers pass the time to the session.
public struct HostTime: Hashable, Comparable, Sendable, Codable, ExpressibleByIntegerLiteral {
    /// The number of microseconds since a fixed point in the past.
    public var microseconds: Int64

    /// Creates a time from a number of microseconds since the fixed point.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Creates a time from a literal in the source code, in microseconds.
    public init(integerLiteral value: Int64) { microseconds = value }

    /// A time that is never reached.
    public static let never = HostTime(microseconds: .max)

    /// Returns the sum of a time and a duration.
    public static func + (time: HostTime, duration: Microseconds) -> HostTime {
        HostTime(microseconds: time.microseconds + duration)
    }

    /// Returns the difference of a time and a duration.
    public static func - (time: HostTime, duration: Microseconds) -> HostTime {
        HostTime(microseconds: time.microseconds - duration)
    }

    /// Returns the duration from `earlier` to `later`.
    public static func - (later: HostTime, earlier: HostTime) -> Microseconds {
        later.microseconds - earlier.microseconds
    }

    /// Increases the time by a duration.
    public static func += (time: inout HostTime, duration: Microseconds) {
        time.microseconds += duration
    }

    /// Returns whether a time is before another time.
    public static func < (left: HostTime, right: HostTime) -> Bool {
        left.microseconds < right.microseconds
    }
}
