// OnsetDetection: the moments at which something in a sound begins.

import HapticPatterns

/// The beginning of something in a sound.
struct Onset: Equatable {
    /// The stretch in which the sound grows most.
    var frame: Int
    /// The growth above what is usual around it, in nepers, as a mean of all bands.
    var growth: Float
}

extension SoundFeatures {
    /// The time within which an onset has no greater one beside it, in seconds.
    private static let apart = 0.025
    /// The times before and after an onset in which growth is usual, in seconds.
    private static let around = (before: 0.15, after: 0.1)
    /// The number of times that the usual growth must be exceeded by.
    private static let usual: Float = 3.0

    /// Returns the onsets whose growth exceeds the usual one by a threshold, in order of time.
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
            // The median, because quick beats are not usual growth, but make its mean large.
            let excess = value - Self.usual * growth[far].sorted()[far.count / 2]
            return excess > threshold ? Onset(frame: frame, growth: excess) : nil
        }
    }
}
