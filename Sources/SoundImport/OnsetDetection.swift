// OnsetDetection: detects onsets in a sound.

import HapticPatterns

/// An onset: the start of a note or of another event in a sound.
struct Onset: Equatable {
    /// The frame with the greatest growth.
    var frame: Int
    /// The growth minus ``SoundFeatures/usual`` times the usual growth around the frame, in nepers,
    /// as a mean over all bands.
    var growth: Float
}

extension SoundFeatures {
    /// The minimum time between an onset and any frame with greater growth, in seconds.
    private static let apart = 0.025
    /// The times before and after an onset over which the usual growth is measured, in seconds.
    private static let around = (before: 0.15, after: 0.1)
    /// The factor by which the usual growth is multiplied before it is compared with the growth at
    /// an onset.
    private static let usual: Float = 3.0

    /// Returns the onsets whose ``Onset/growth`` exceeds a threshold, in order of time.
    func onsets(above threshold: Float) -> [Onset] {
        let reach = grid.frames(Self.apart)
        let (before, after) = (grid.frames(Self.around.before), grid.frames(Self.around.after))
        return growth.indices.compactMap { frame in
            let value = growth[frame]
            guard value > threshold else { return nil }
            let near = max(frame - reach, 0)..<min(frame + reach + 1, growth.count)
            guard !near.contains(where: { growth[$0] > value || growth[$0] == value && $0 < frame })
            else { return nil }
            let far = max(frame - before, 0)..<min(frame + after + 1, growth.count)
            // The usual growth is a median, because fast beats would increase a mean.
            let excess = value - Self.usual * growth[far].sorted()[far.count / 2]
            return excess > threshold ? Onset(frame: frame, growth: excess) : nil
        }
    }
}
