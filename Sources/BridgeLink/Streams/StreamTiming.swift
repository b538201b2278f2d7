// StreamTiming: the accuracy of a stream relative to the host's clock.

/// The lateness of a stream's ticks relative to the host's clock, as far as the host can determine
/// this lateness.
public struct StreamTiming: Hashable, Sendable {
    /// The range of the lateness, from the least to the greatest, in host microseconds. Negative
    /// values mean that a tick is early.
    public var lateness: ClosedRange<Microseconds>
    /// The maximum error of the values in `lateness`, in microseconds.
    public var errorBound: Microseconds

    /// Creates a timing from a range of lateness and the error bound of its values.
    public init(lateness: ClosedRange<Microseconds>, errorBound: Microseconds) {
        self.lateness = lateness
        self.errorBound = errorBound
    }

    /// Extends the range and increases the error bound so that they include another timing.
    package mutating func merge(_ other: StreamTiming) {
        lateness =
            min(
                lateness.lowerBound, other.lateness.lowerBound)...max(
                lateness.upperBound, other.lateness.upperBound)
        errorBound = max(errorBound, other.errorBound)
    }
}
