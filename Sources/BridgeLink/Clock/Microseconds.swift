// Microseconds: the unit of the times that callers pass in, because nothing in a session reads a
// clock by itself.

/// A time in microseconds since any fixed moment in the past, by the host's monotonic clock or that
/// of a test.
public typealias Microseconds = Int64

extension Microseconds {
    package static func milliseconds(_ count: Int64) -> Microseconds { count * 1_000 }
}
