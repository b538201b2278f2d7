// DeviceTime: a moment on the device's clock, which no moment of the host's can stand for.

/// A moment on the device's clock, extended to 64 bits.
public struct DeviceTime: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    /// Microseconds since the clock would have shown 0.
    public var microseconds: Int64

    /// A moment so many microseconds after the clock would have shown 0.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// A moment of the clock's first turn.
    public init(stamp: UInt32) { microseconds = Int64(stamp) }

    /// A moment that is known when the program is written.
    public init(integerLiteral value: Int64) { microseconds = value }

    /// The low 32 bits, as messages carry them (SPEC 5).
    public var stamp: UInt32 { UInt32(truncatingIfNeeded: microseconds) }

    /// The moment so much later.
    public static func + (time: DeviceTime, duration: Microseconds) -> DeviceTime {
        DeviceTime(microseconds: time.microseconds + duration)
    }

    /// The time from `earlier` to `later`.
    public static func - (later: DeviceTime, earlier: DeviceTime) -> Microseconds {
        later.microseconds - earlier.microseconds
    }

    /// Returns whether a moment is before another.
    public static func < (left: DeviceTime, right: DeviceTime) -> Bool {
        left.microseconds < right.microseconds
    }
}
