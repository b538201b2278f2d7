// ToleratedValue: a value and the range of acceptable substitutes.

/// A preferred value and the range of other acceptable values.
struct ToleratedValue: Sendable, Equatable {
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

    /// The round value that is nearest to the preferred value; nil if this round value is not
    /// acceptable.
    var round: UInt8? {
        let value = EventCode.nearestRound(to: preferred)
        return range.contains(value) ? value : nil
    }
}
