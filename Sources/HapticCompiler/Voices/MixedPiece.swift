// MixedPiece: a stretch of what is felt.

import HapticPatterns

/// The output of one actuator in a period of time: one level and one sharpness.
public struct MixedPiece: Sendable, Equatable {
    /// The first instant, in microseconds from the start of the stream.
    public var start: Microseconds
    /// The end of the piece, which is not part of it, in microseconds from the start of the stream.
    public var end: Microseconds
    /// The level. Exact silence is a constant 0.
    public var level: Line
    /// The sharpness; nil in silence, where it cannot be felt.
    public var sharpness: Line?

    /// Makes a piece.
    public init(start: Microseconds, end: Microseconds, level: Line, sharpness: Line?) {
        (self.start, self.end) = (start, end)
        (self.level, self.sharpness) = (level, sharpness)
    }
}
