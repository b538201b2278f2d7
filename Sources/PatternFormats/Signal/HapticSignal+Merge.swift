// Merges simultaneous signals: the signal with the greatest intensity is played, as in the
// compiler.

import HapticPatterns

extension HapticSignal {
    /// Merges simultaneous signals. At each time, the result has the intensity and sharpness of the
    /// signal with the greatest intensity. The two halves of the signals are merged recursively.
    package static func merged(_ signals: ArraySlice<HapticSignal>) -> HapticSignal {
        guard signals.count > 1 else { return signals.first ?? HapticSignal() }
        let middle = signals.startIndex + signals.count / 2
        let (left, right) = (merged(signals[..<middle]), merged(signals[middle...]))
        return HapticSignal(
            pieces: merged(left.pieces, right.pieces), taps: left.taps + right.taps)
    }

    private static func merged(_ left: [Piece], _ right: [Piece]) -> [Piece] {
        guard let end = left.last?.end, let start = right.first?.start, end > start
        else {
            return left + right
        }
        var result: [Piece] = []
        var (left, right) = (left[...], right[...])
        var time = min(left.first?.start ?? .max, right.first?.start ?? .max)
        while true {
            left = left.drop { $0.end <= time }
            right = right.drop { $0.end <= time }
            let changes = [left.first, right.first].compactMap { $0?.change(after: time) }
            guard let next = changes.min() else { return result }
            let one = left.first.flatMap { $0.start <= time ? $0.part(time, next) : nil }
            let other = right.first.flatMap { $0.start <= time ? $0.part(time, next) : nil }
            result += louder(one, other)
            time = next
        }
    }

    /// Returns the stronger of two pieces with the same start and end, in two parts if their
    /// intensities cross.
    private static func louder(_ one: Piece?, _ other: Piece?) -> [Piece] {
        guard let one, let other else { return [one ?? other].compactMap { $0 } }
        let before = other.startIntensity - one.startIntensity
        let after = other.endIntensity - one.endIntensity
        if before <= 0 && after <= 0 { return [one] }
        if before >= 0 && after >= 0 { return [other] }
        let fraction = before / (before - after)
        let crossing = one.start + Microseconds((Double(one.end - one.start) * fraction).rounded())
        let (first, second) = before > 0 ? (other, one) : (one, other)
        return [first.part(one.start, crossing), second.part(crossing, one.end)]
            .filter { $0.end > $0.start }
    }
}

extension HapticSignal.Piece {
    fileprivate func change(after time: Microseconds) -> Microseconds { start > time ? start : end }
}
