// ClockEstimate: a moment on one clock that belongs to a moment on the other.

/// A moment on one clock that belongs to a moment on the other, as far as it is known.
public struct ClockEstimate<Moment: Hashable & Sendable>: Hashable, Sendable {
    /// The moment on the clock that was asked about.
    public var time: Moment
    /// The greatest distance of the true moment from `time`, either way.
    public var errorBound: Microseconds
}
