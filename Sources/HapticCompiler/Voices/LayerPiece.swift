// LayerPiece: a stretch of a continuous event that a voice plays.

import HapticPatterns

/// A part of one layer in which level and sharpness each follow one straight line.
///
/// The lines may extend beyond the part: they show where a straight line really begins and ends,
/// however time is divided into windows.
public struct LayerPiece: Sendable, Hashable {
    /// The first instant, in microseconds from the start of the stream.
    public var start: Microseconds
    /// The end of the span, which is not part of it, in microseconds from the start of the pattern.
    public var end: Microseconds
    /// The level.
    public var level: Line
    /// The sharpness, limited to 0...1 within the piece.
    public var sharpness: Line
    /// The index of the event in the voice's pattern.
    public var source: Int

    /// Makes a piece.
    public init(
        from start: Microseconds, to end: Microseconds, level: Line, sharpness: Line, source: Int
    ) {
        self.start = start
        self.end = end
        self.level = level
        self.sharpness = sharpness
        self.source = source
    }
}
