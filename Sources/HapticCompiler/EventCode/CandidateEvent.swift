// CandidateEvent: an event to be written, and the forms and values that the writer may choose from.

/// An event to be written. The writer chooses its form, and chooses its values within given ranges.
enum CandidateEvent: Sendable, Equatable {
    case exact(StreamEvent.Content)
    case tap(intensity: ToleratedValue, sharpness: ToleratedValue)
    case jump(CandidateJump)

    /// Returns whether an event is an acceptable choice.
    func accepts(_ content: StreamEvent.Content) -> Bool {
        switch self {
        case .exact(let wanted): return wanted == content
        case .tap(let intensity, let sharpness):
            guard case .tap(let one, let other) = content else { return false }
            return intensity.range.contains(one) && sharpness.range.contains(other)
        case .jump(let jump): return jump.accepts(content)
        }
    }

    /// Calls a closure with each form that contains exactly the preferred values. The simplest form
    /// is passed first.
    func forEachPreferredForm(_ body: (StreamEvent.Content) -> Void) {
        switch self {
        case .exact(let content): body(content)
        case .tap(let intensity, let sharpness):
            body(.tap(intensity: intensity.preferred, sharpness: sharpness.preferred))
        case .jump(let jump): jump.forEachPreferredForm(body)
        }
    }

    /// The form that uses acceptable round values; nil if no round values are acceptable.
    var roundForm: StreamEvent.Content? {
        switch self {
        case .exact: return nil
        case .tap(let intensity, let sharpness):
            guard let one = intensity.round, let other = sharpness.round else { return nil }
            return .tap(intensity: one, sharpness: other)
        case .jump(let jump):
            guard let level = jump.level?.round, let sharpness = jump.sharpness?.round
            else { return nil }
            return .levelSharpness(level: level, sharpness: sharpness)
        }
    }

    /// Returns the distance of an accepted event from the preferred values.
    func distance(to content: StreamEvent.Content) -> Int {
        switch (self, content) {
        case (.tap(let intensity, let sharpness), .tap(let one, let other)):
            intensity.distance(to: one) + sharpness.distance(to: other)
        case (.jump(let jump), .level(let level)): jump.level?.distance(to: level) ?? 0
        case (.jump(let jump), .sharpnessRamp(let sharpness, _)):
            jump.sharpness?.distance(to: sharpness) ?? 0
        case (.jump(let jump), .levelSharpness(let level, let sharpness)):
            (jump.level?.distance(to: level) ?? 0) + (jump.sharpness?.distance(to: sharpness) ?? 0)
        default: 0
        }
    }
}

/// Methods that choose values that later events can use again.
extension CandidateEvent {
    /// Returns the event in the same form, but with values that following events accept as well.
    /// These events can then refer to the slot of the written event instead of repeating its
    /// values. An event that accepts none of the remaining values is passed over.
    func variant(
        of content: StreamEvent.Content, before later: ArraySlice<CandidateStep>
    ) -> StreamEvent.Content {
        switch (self, content) {
        case (.tap(let intensity, let sharpness), .tap):
            var pair = ValuePair(intensity, sharpness)
            for step in later {
                guard case .tap(let one, let other)? = step.event else { continue }
                pair.narrow(to: one, other)
            }
            return .tap(intensity: pair.values.0, sharpness: pair.values.1)
        case (.jump(let jump), .levelSharpness):
            guard let level = jump.level, let sharpness = jump.sharpness else { return content }
            var pair = ValuePair(level, sharpness)
            for step in later {
                guard case .jump(let jump)? = step.event, let level = jump.level,
                    let sharpness = jump.sharpness
                else { continue }
                pair.narrow(to: level, sharpness)
            }
            return .levelSharpness(level: pair.values.0, sharpness: pair.values.1)
        default: return content
        }
    }
}

/// Two values that are chosen together.
private struct ValuePair {
    private let preferred: (UInt8, UInt8)
    private var one: ClosedRange<UInt8>
    private var two: ClosedRange<UInt8>

    init(_ first: ToleratedValue, _ second: ToleratedValue) {
        preferred = (first.preferred, second.preferred)
        (one, two) = (first.range, second.range)
    }

    /// Narrows both ranges to the values that another pair accepts as well. If no values would
    /// remain, the ranges do not change.
    mutating func narrow(to first: ToleratedValue, _ second: ToleratedValue) {
        guard first.range.overlaps(one), second.range.overlaps(two) else { return }
        one = one.clamped(to: first.range)
        two = two.clamped(to: second.range)
    }

    var values: (UInt8, UInt8) {
        (
            min(max(preferred.0, one.lowerBound), one.upperBound),
            min(max(preferred.1, two.lowerBound), two.upperBound)
        )
    }
}
