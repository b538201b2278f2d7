// Microseconds: the unit of durations. Moments have types of their own: HostTime and DeviceTime.

/// A duration in microseconds.
public typealias Microseconds = Int64

extension Microseconds {
    package static func milliseconds(_ count: Int64) -> Microseconds { count * 1_000 }
}
