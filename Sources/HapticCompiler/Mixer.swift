// Many layers, one actuator: what is felt where continuous events overlap.

public import AHAP

/// What is felt where layers overlap.
public enum MixPolicy: String, Sendable, CaseIterable {
    /// The layer with the highest level, with its sharpness; of equals, the later event.
    case loudest
}

/// What one actuator does in a stretch of time: one level, one sharpness.
public struct MixedPiece: Sendable, Equatable {
    /// The first instant, in microseconds from the start of the stream.
    public var start: Microseconds
    /// The instant after the last.
    public var end: Microseconds
    /// The level; exact silence is a constant 0.
    public var level: Line
    /// The sharpness; nil in silence, where it cannot be felt.
    public var sharpness: Line?
}

/// Mixes layers into one, window by window.
///
/// A sweep: pieces enter an active set at their start and leave it at their end, so the cost of a
/// piece does not grow with their number, but with that of the voices that sound together: a pattern
/// gives one piece at a time.
struct Mixer: Sendable {
    let policy: MixPolicy

    /// Mixes the pieces of a window.
    ///
    /// - Returns: pieces that cover the window without gap or overlap.
    func mix(_ pieces: [LayerPiece], in window: Range<Microseconds>) -> [MixedPiece] {
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

    /// The upper envelope of the active layers, none of which begins or ends within the interval.
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

    /// Whether another layer is felt rather than this one from a time on.
    private static func isLess(
        _ one: LayerPiece, _ other: LayerPiece, at time: Microseconds
    ) -> Bool {
        one.level.isBelow(other.level, at: time) ?? (one.source < other.source)
    }
}

extension Line {
    /// Whether another line is above this one from a time on: it is higher, or as high and growing
    /// faster. Nil if neither is.
    func isBelow(_ other: Line, at time: Microseconds) -> Bool? {
        let (value, otherValue) = (value(at: time), other.value(at: time))
        if value != otherValue { return value < otherValue }
        return slope == other.slope ? nil : slope < other.slope
    }

    /// The first microsecond at which another line has become the higher one; nil if it does not
    /// before this one ends.
    func overtaking(by other: Line, after time: Microseconds) -> Microseconds? {
        let approach = other.slope - slope
        guard approach > 0 else { return nil }
        // Both lines, at a common instant, so that the result does not depend on the window.
        let origin = max(start, other.start)
        let lead = value(at: origin) - other.value(at: origin)
        let crossing = (Double(origin) + lead / approach).rounded(.up)
        guard crossing < Double(end) else { return nil }
        return Microseconds(max(crossing, Double(time + 1)))
    }
}
