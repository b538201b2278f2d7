// VoiceSpan: the output of a voice in a window.

import HapticPatterns

/// The taps and pieces that a voice plays in one window.
public struct VoiceSpan: Sendable, Equatable {
    /// The taps of the window in order of time.
    public var taps: [VoiceTap]
    /// The pieces that overlap the window. A piece may extend beyond the window. The pieces of each
    /// event are in order of time and do not overlap. The order of the events does not matter.
    public var pieces: [LayerPiece]

    /// Creates a span.
    public init(taps: [VoiceTap] = [], pieces: [LayerPiece] = []) {
        self.taps = taps
        self.pieces = pieces
    }
}
