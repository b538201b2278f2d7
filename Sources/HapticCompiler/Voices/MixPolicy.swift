// MixPolicy: the rule for overlapping layers.

import HapticPatterns

/// The rule that selects the output of overlapping layers.
public enum MixPolicy: String, Sendable, CaseIterable {
    /// The layer with the highest level is played, with its sharpness. Of layers with equal levels,
    /// that of the later event is played.
    case loudest
}
