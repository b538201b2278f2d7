// LayerPiece: a part of a continuous event, as played by a voice.

import HapticPatterns

/// A part of a layer in which the level follows one straight line and the sharpness follows
/// another.
///
/// The lines may extend beyond the part, because their ends do not depend on how time is divided
/// into windows.
public struct LayerPiece: Sendable, Hashable {
    /// The first instant, in microseconds from the start of the stream.
    public var start: Microseconds
    /// The end of the piece (exclusive), in microseconds from the start of the stream.
    public var end: Microseconds
    /// The level.
    public var level: Line
    /// The sharpness, limited to 0...1 within the piece.
    public var sharpness: Line
    /// The index of the event in the voice's pattern.
    public var source: Int

    /// Creates a piece.
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
