// MixPolicy: the rule that determines the output where layers overlap.

import HapticPatterns

/// The rule that determines the output where layers overlap.
public enum MixPolicy: String, Sendable, CaseIterable {
    /// The layer with the highest level is played, with its own sharpness. If several layers have
    /// the highest level, the layer of the latest event is played.
    case loudest
}
