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
    var preferredForms: [StreamEvent.Content] {
        switch self {
        case .exact(let content): [content]
        case .tap(let intensity, let sharpness):
            [.tap(intensity: intensity.preferred, sharpness: sharpness.preferred)]
        case .jump(let jump): jump.preferredForms
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

    var preferredForms: [StreamEvent.Content] {
        var forms: [StreamEvent.Content] = []
        if !needsSharpness, let level { forms.append(.level(level.preferred)) }
        if !needsLevel, let sharpness {
            forms.append(.sharpnessRamp(to: sharpness.preferred, duration: 0))
        }
        if let level, let sharpness {
            forms.append(.levelSharpness(level: level.preferred, sharpness: sharpness.preferred))
        }
        return forms
    }
}

/// Choosing values for their use later on.
extension WantedEvent {
    /// The same form with the values, within the ranges, that most of the events that follow could
    /// have too: what is written now stays in a slot for a while.
    func variant(
        of content: StreamEvent.Content, before later: some Sequence<WantedEvent>
    ) -> StreamEvent.Content {
        switch (self, content) {
        case (.tap(let intensity, let sharpness), .tap):
            let others = later.compactMap { event -> ValuePair? in
                guard case .tap(let one, let other) = event else { return nil }
                return ValuePair(one, other)
            }
            let pair = ValuePair(intensity, sharpness).shared(with: others)
            return .tap(intensity: pair.0, sharpness: pair.1)
        case (.jump(let jump), .levelSharpness):
            guard let level = jump.level, let sharpness = jump.sharpness else { return content }
            let others = later.compactMap { event -> ValuePair? in
                guard case .jump(let jump) = event, let level = jump.level,
                    let sharpness = jump.sharpness
                else { return nil }
                return ValuePair(level, sharpness)
            }
            let pair = ValuePair(level, sharpness).shared(with: others)
            return .levelSharpness(level: pair.0, sharpness: pair.1)
        default: return content
        }
    }
}

/// Two values that are chosen together.
private struct ValuePair {
    var first: WantedValue
    var second: WantedValue

    init(_ first: WantedValue, _ second: WantedValue) {
        self.first = first
        self.second = second
    }

    /// Narrowed by one after the other of the pairs that leave something to choose from.
    func shared(with others: [ValuePair]) -> (UInt8, UInt8) {
        var (one, two) = (first.range, second.range)
        for other in others
        where other.first.range.overlaps(one) && other.second.range.overlaps(two) {
            one = one.clamped(to: other.first.range)
            two = two.clamped(to: other.second.range)
        }
        return (
            min(max(first.preferred, one.lowerBound), one.upperBound),
            min(max(second.preferred, two.lowerBound), two.upperBound)
        )
    }
}
