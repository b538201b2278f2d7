// MixPolicy: what is felt where layers overlap.

import HapticPatterns

/// The rule for what is felt where layers overlap.
public enum MixPolicy: String, Sendable, CaseIterable {
    /// The layer with the highest level is felt, with its sharpness. Among equals it is the later
    /// event.
    case loudest
}
