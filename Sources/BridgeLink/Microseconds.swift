// The time that is passed into everything here: nothing in the link reads a clock by itself.

/// Microseconds since any fixed moment in the past: the host's monotonic clock, or a test's.
public typealias Microseconds = Int64

extension Microseconds {
    static func milliseconds(_ count: Int64) -> Microseconds { count * 1_000 }

    /// As a time-out of `poll`: milliseconds that are at least as long.
    var pollTimeout: Int32 { Int32(clamping: self > 0 ? (self - 1) / 1_000 + 1 : 0) }
}
