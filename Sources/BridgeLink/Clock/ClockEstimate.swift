// ClockEstimate: an estimate of the time on one clock that corresponds to a time on the other
// clock.

/// An estimate of the time on one clock that corresponds to a time on the other clock.
public struct ClockEstimate<Moment: Hashable & Sendable>: Hashable, Sendable {
    /// The estimated time on the other clock.
    public var time: Moment
    /// The maximum error of `time`, in either direction.
    public var errorBound: Microseconds
}
