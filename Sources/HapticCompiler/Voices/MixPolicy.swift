// MixPolicy: the rule that determines the output where layers overlap.

import HapticPatterns

/// The rule that determines the output where layers overlap.
public enum MixPolicy: String, Sendable, CaseIterable {
    /// The layer with the highest level is played, with its own sharpness. If several layers have
    /// the highest level, the layer that rises fastest is played. Among layers whose levels also
    /// change at the same rate, the layer whose event has the highest index in its pattern is
    /// played.
    case loudest
}
