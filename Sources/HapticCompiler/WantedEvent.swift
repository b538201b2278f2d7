// What is to be felt, and how much choice it leaves to whoever writes it.

/// A value, and the others that would do as well.
struct WantedValue: Sendable, Equatable {
    var preferred: UInt8
    var range: ClosedRange<UInt8>

    init(_ value: UInt8) {
        preferred = value
        range = value...value
    }

    init(_ change: CurveEvent) {
        preferred = change.value
        range = change.range
    }

    init(_ value: UInt8, _ range: ClosedRange<UInt8>) {
        preferred = value
        self.range = range
    }

    func distance(to value: UInt8) -> Int { abs(Int(value) - Int(preferred)) }

    /// The round value nearest to what is preferred, if it would do.
    var round: UInt8? {
        let value = EventCode.nearestRound(to: preferred)
        return range.contains(value) ? value : nil
    }
}

/// An event of which the writer chooses the form, and within its ranges the values.
enum WantedEvent: Sendable, Equatable {
    case exact(StreamEvent.Content)
    case tap(intensity: WantedValue, sharpness: WantedValue)
    case jump(WantedJump)

    /// Whether an event does what is wanted.
    func accepts(_ content: StreamEvent.Content) -> Bool {
        switch self {
        case .exact(let wanted): return wanted == content
        case .tap(let intensity, let sharpness):
            guard case .tap(let one, let other) = content else { return false }
            return intensity.range.contains(one) && sharpness.range.contains(other)
        case .jump(let jump): return jump.accepts(content)
        }
    }

    /// The forms that say exactly what is preferred; the first is the plainest.
    func forEachPreferredForm(_ body: (StreamEvent.Content) -> Void) {
        switch self {
        case .exact(let content): body(content)
        case .tap(let intensity, let sharpness):
            body(.tap(intensity: intensity.preferred, sharpness: sharpness.preferred))
        case .jump(let jump): jump.forEachPreferredForm(body)
        }
    }

    /// The form of round values that are near enough; nil if there is none.
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

    /// How far an accepted event is from what is preferred.
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

/// A jump of level, sharpness or both. A value that need not jump may be said again where it
/// stands still: that is shorter where the same pair was jumped to before.
struct WantedJump: Sendable, Equatable {
    /// Nil while it moves.
    var level: WantedValue?
    /// Nil while it moves, or if it was never given.
    var sharpness: WantedValue?
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

/// Choosing values for their use later on.
extension WantedEvent {
    /// The same form with the values, within the ranges, that most of the events that follow could
    /// have too: what is written now stays in a slot for a while.
    func variant(
        of content: StreamEvent.Content, before later: ArraySlice<WantedStep>
    ) -> StreamEvent.Content {
        switch (self, content) {
        case (.tap(let intensity, let sharpness), .tap):
            var pair = ValuePair(intensity, sharpness)
            for step in later {
                guard case .tap(let one, let other)? = step.event else { continue }
                pair.share(one, other)
            }
            return .tap(intensity: pair.values.0, sharpness: pair.values.1)
        case (.jump(let jump), .levelSharpness):
            guard let level = jump.level, let sharpness = jump.sharpness else { return content }
            var pair = ValuePair(level, sharpness)
            for step in later {
                guard case .jump(let jump)? = step.event, let level = jump.level,
                    let sharpness = jump.sharpness
                else { continue }
                pair.share(level, sharpness)
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

    init(_ first: WantedValue, _ second: WantedValue) {
        preferred = (first.preferred, second.preferred)
        (one, two) = (first.range, second.range)
    }

    /// Narrows the choice to what would do for another pair too, if that leaves something.
    mutating func share(_ first: WantedValue, _ second: WantedValue) {
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
