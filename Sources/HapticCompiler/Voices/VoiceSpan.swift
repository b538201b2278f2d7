// VoiceSpan: what a voice plays in a window of time.

import HapticPatterns

/// The taps and pieces that a voice plays within one window.
public struct VoiceSpan: Sendable, Equatable {
    /// The taps of the window in order of time.
    public var taps: [VoiceTap]
    /// The pieces that are felt within the window. They may extend beyond it. Pieces of one event
    /// follow each other without overlap; the order of events does not matter.
    public var pieces: [LayerPiece]

    /// Makes a span.
    public init(taps: [VoiceTap] = [], pieces: [LayerPiece] = []) {
        self.taps = taps
        self.pieces = pieces
    }
}
