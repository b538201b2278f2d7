// Mixer: mixes layers for one actuator and determines the output where layers overlap.

import HapticPatterns

/// Mixes several layers into one, window by window.
///
/// The mixer processes pieces in order of time: a piece joins the set of active pieces at its start
/// and leaves the set at its end. Each voice has at most one piece at a time, so the cost of a
/// piece depends on the number of simultaneous voices, but not on the total number of pieces.
public struct Mixer: Sendable {
    let policy: MixPolicy

    /// Creates a mixer.
    public init(policy: MixPolicy) { self.policy = policy }

    /// Mixes the pieces of a window.
    ///
    /// - Returns: pieces that cover the window without gaps or overlaps.
    public func mix(_ pieces: [LayerPiece], in window: Range<Microseconds>) -> [MixedPiece] {
        let sorted = pieces.sorted { $0.start < $1.start }
        var next = 0
        var active: [LayerPiece] = []
        var mixed: [MixedPiece] = []
        var time = window.lowerBound
        while time < window.upperBound {
            active.removeAll { $0.end <= time }
            while next < sorted.count, sorted[next].start <= time {
                if sorted[next].end > time { active.append(sorted[next]) }
                next += 1
            }
            var end = next < sorted.count ? sorted[next].start : .max
            for piece in active { end = min(end, piece.end) }
            let interval = time..<min(end, window.upperBound)
            switch policy {
            case .loudest: appendLoudest(of: active, in: interval, to: &mixed)
            }
            time = interval.upperBound
        }
        return mixed
    }

    /// Appends the upper envelope of the active layers within an interval. Every active layer must
    /// cover the whole interval.
    private func appendLoudest(
        of active: [LayerPiece], in interval: Range<Microseconds>, to mixed: inout [MixedPiece]
    ) {
        var time = interval.lowerBound
        while time < interval.upperBound {
            guard let loudest = active.max(by: { Self.isLess($0, $1, at: time) }) else {
                append(nil, in: time..<interval.upperBound, to: &mixed)
                return
            }
            let overtakings = active.lazy.compactMap {
                loudest.level.overtaking(by: $0.level, after: time)
            }
            let end = min(overtakings.min() ?? .max, interval.upperBound)
            append(loudest, in: time..<end, to: &mixed)
            time = end
        }
    }

    private func append(
        _ piece: LayerPiece?, in interval: Range<Microseconds>, to mixed: inout [MixedPiece]
    ) {
        var result = MixedPiece(
            start: interval.lowerBound, end: interval.upperBound, level: .silence, sharpness: nil)
        if let piece, !piece.level.isConstant || piece.level.startValue > 0 {
            result.level = piece.level
            result.sharpness = piece.sharpness
        }
        mixed.append(result)
    }

    /// Returns whether the first layer is weaker than the other layer from the given time on.
    private static func isLess(
        _ one: LayerPiece, _ other: LayerPiece, at time: Microseconds
    ) -> Bool {
        one.level.isBelow(other.level, at: time) ?? (one.source < other.source)
    }
}

extension Line {
    /// Returns true if another line is above this line from the given time on, because it is higher
    /// at that time, or because it is equally high and rises faster. Returns nil if the lines are
    /// equal.
    func isBelow(_ other: Line, at time: Microseconds) -> Bool? {
        let (value, otherValue) = (value(at: time), other.value(at: time))
        if value != otherValue { return value < otherValue }
        return slope == other.slope ? nil : slope < other.slope
    }

    /// Returns the first microsecond at which another line is higher than this line; nil if the
    /// other line does not become higher before this line ends.
    func overtaking(by other: Line, after time: Microseconds) -> Microseconds? {
        let approach = other.slope - slope
        guard approach > 0 else { return nil }
        // Both lines are evaluated relative to the same time, so that the result does not depend on
        // the window.
        let origin = max(start, other.start)
        let lead = value(at: origin) - other.value(at: origin)
        let crossing = (Double(origin) + lead / approach).rounded(.up)
        guard crossing < Double(end) else { return nil }
        return Microseconds(max(crossing, Double(time + 1)))
    }
}
