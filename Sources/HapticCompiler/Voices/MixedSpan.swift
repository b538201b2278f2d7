// MixedSpan: the taps and the mixed layers of an interval.

/// The taps and the mixed layers of an interval, for one actuator.
public struct MixedSpan: Sendable, Equatable {
    /// The taps in order of time.
    public var taps: [VoiceTap]
    /// The pieces that cover the interval without gaps or overlaps.
    public var pieces: [MixedPiece]

    /// Creates a span.
    public init(taps: [VoiceTap], pieces: [MixedPiece]) {
        (self.taps, self.pieces) = (taps, pieces)
    }
}
