// DeviceTime: a time on the device's clock. The type prevents confusion with the host's clock.

/// A time on the device's clock, extended to 64 bits.
public struct DeviceTime: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    /// The number of microseconds since the extended clock was at 0.
    public var microseconds: Int64

    /// Creates a time from a number of microseconds since the extended clock was at 0.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Creates a time before the first overflow of the 32-bit clock.
    public init(stamp: UInt32) { microseconds = Int64(stamp) }

    /// Creates a time from a literal in the source code, in microseconds.
    public init(integerLiteral value: Int64) { microseconds = value }

    /// The low 32 bits of the time, as contained in messages (SPEC 5).
    public var stamp: UInt32 { UInt32(truncatingIfNeeded: microseconds) }

    /// Returns the sum of a time and a duration.
    public static func + (time: DeviceTime, duration: Microseconds) -> DeviceTime {
        DeviceTime(microseconds: time.microseconds + duration)
    }

    /// Returns the duration from `earlier` to `later`.
    public static func - (later: DeviceTime, earlier: DeviceTime) -> Microseconds {
        later.microseconds - earlier.microseconds
    }

    /// Returns whether a time is before another time.
    public static func < (left: DeviceTime, right: DeviceTime) -> Bool {
        left.microseconds < right.microseconds
    }
}
