// HostTime: a moment on the host's clock, which neither a duration nor a moment of the device's can
// stand for.

/// A moment on the host's monotonic clock, or on that of a test. Nothing in a session reads a clock
/// by itself, so callers pass these moments in.
public struct HostTime: Hashable, Comparable, Sendable, Codable, ExpressibleByIntegerLiteral {
    /// Microseconds since any fixed moment in the past.
    public var microseconds: Int64

    /// A moment so many microseconds after the fixed one.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// A moment that is known when the program is written.
    public init(integerLiteral value: Int64) { microseconds = value }

    /// The moment that never comes.
    public static let never = HostTime(microseconds: .max)

    /// The moment so much later.
    public static func + (time: HostTime, duration: Microseconds) -> HostTime {
        HostTime(microseconds: time.microseconds + duration)
    }

    /// The moment so much earlier.
    public static func - (time: HostTime, duration: Microseconds) -> HostTime {
        HostTime(microseconds: time.microseconds - duration)
    }

    /// The time from `earlier` to `later`.
    public static func - (later: HostTime, earlier: HostTime) -> Microseconds {
        later.microseconds - earlier.microseconds
    }

    /// Moves the moment so much later.
    public static func += (time: inout HostTime, duration: Microseconds) {
        time.microseconds += duration
    }

    /// Returns whether a moment is before another.
    public static func < (left: HostTime, right: HostTime) -> Bool {
        left.microseconds < right.microseconds
    }
}
