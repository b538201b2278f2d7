// CandidateJump: a jump in the level, the sharpness, or both, before its form is chosen.

/// A jump in the level, the sharpness, or both. A value that does not jump may be included as long
/// as it is constant. Including such a value makes the event shorter if there was an earlier jump
/// to the same pair of values.
struct CandidateJump: Sendable, Equatable {
    /// The level; nil while the level is changing.
    var level: ToleratedValue?
    /// The sharpness; nil while the sharpness is changing, or if it has never been set.
    var sharpness: ToleratedValue?
    var needsLevel: Bool
    var needsSharpness: Bool

    func accepts(_ content: StreamEvent.Content) -> Bool {
        switch content {
        case .level(let value): !needsSharpness && level?.range.contains(value) == true
        case .sharpnessRamp(let value, 0):
            !needsLevel && sharpness?.range.contains(value) == true
        case .levelSharpness(let value, let other):
            level?.range.contains(value) == true && sharpness?.range.contains(other) == true
        default: false
        }
    }

    func forEachPreferredForm(_ body: (StreamEvent.Content) -> Void) {
        if !needsSharpness, let level { body(.level(level.preferred)) }
        if !needsLevel, let sharpness {
            body(.sharpnessRamp(to: sharpness.preferred, duration: 0))
        }
        if let level, let sharpness {
            body(.levelSharpness(level: level.preferred, sharpness: sharpness.preferred))
        }
    }
}
