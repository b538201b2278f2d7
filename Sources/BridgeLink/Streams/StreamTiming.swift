// StreamTiming: the accuracy with which a stream follows the host's clock.

/// The lateness of a stream's ticks on the host's clock, as far as the host can determine it.
public struct StreamTiming: Hashable, Sendable {
    /// The range from the least to the greatest lateness, in host microseconds. Negative values
    /// mean early.
    public var lateness: ClosedRange<Microseconds>
    /// The maximum error of the values in `lateness`, in microseconds.
    public var errorBound: Microseconds

    /// Creates a timing from its range and the error bound of that range.
    public init(lateness: ClosedRange<Microseconds>, errorBound: Microseconds) {
        self.lateness = lateness
        self.errorBound = errorBound
    }

    /// Extends the range and the bound to include those of another timing.
    package mutating func note(_ other: StreamTiming) {
        lateness =
            min(
                lateness.lowerBound, other.lateness.lowerBound)...max(
                lateness.upperBound, other.lateness.upperBound)
        errorBound = max(errorBound, other.errorBound)
    }
}
