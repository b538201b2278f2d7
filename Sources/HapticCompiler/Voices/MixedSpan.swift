// MixedSpan: what is felt in a period of time.

/// The taps and the mixed layers of a period of time, for one actuator.
public struct MixedSpan: Sendable, Equatable {
    /// The taps in order of time.
    public var taps: [VoiceTap]
    /// The pieces that cover the period without gaps or overlaps.
    public var pieces: [MixedPiece]

    /// Makes a span.
    public init(taps: [VoiceTap], pieces: [MixedPiece]) {
        (self.taps, self.pieces) = (taps, pieces)
    }
}
