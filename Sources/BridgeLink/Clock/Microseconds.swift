// Microseconds: the unit of durations. Points in time have their own types, HostTime and
// DeviceTime.

/// A duration in microseconds.
public typealias Microseconds = Int64

extension Microseconds {
    package static func milliseconds(_ count: Int64) -> Microseconds { count * 1_000 }

    /// Creates the number of whole microseconds in a duration, clamped to the range of `Int64`.
    package init(_ duration: Duration) {
        let (seconds, rest) = duration.components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000)
        self = isTooMuch ? (seconds > 0 ? .max : .min) : whole + rest / 1_000_000_000_000
    }

    /// Creates the nearest number of microseconds. NaN results in a negative number, which callers
    /// reject.
    package init(seconds: Double) {
        let time = (seconds * 1_000_000).rounded()
        self = Microseconds(exactly: time) ?? (seconds > 0 ? .max : -1)
    }

    /// The duration in seconds.
    package var seconds: Double { Double(self) / 1_000_000 }
}
