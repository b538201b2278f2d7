// MixedPiece: the output of one actuator in an interval.

import HapticPatterns

/// The output of one actuator in an interval: one level and one sharpness.
public struct MixedPiece: Sendable, Equatable {
    /// The first instant, in microseconds from the start of the stream.
    public var start: Microseconds
    /// The end of the piece (exclusive), in microseconds from the start of the stream.
    public var end: Microseconds
    /// The level. In silence, the line is constant and exactly 0.
    public var level: Line
    /// The sharpness; nil in silence.
    public var sharpness: Line?

    /// Creates a piece.
    public init(start: Microseconds, end: Microseconds, level: Line, sharpness: Line?) {
        (self.start, self.end) = (start, end)
        (self.level, self.sharpness) = (level, sharpness)
    }
}
