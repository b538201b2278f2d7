// Changes: the times at which a pattern or a stream changes. A comparison may skip all other times.

import HapticPatterns

extension MixedPattern {
    /// The times at which the level or the sharpness changes, in order.
    package var changes: [Range<Microseconds>] {
        pieces.map { piece in
            let isConstant = piece.level.isConstant && piece.sharpness?.isConstant ?? true
            return piece.start..<(isConstant ? piece.start + 1 : piece.end)
        } + [end..<end + 1]
    }
}

extension [Range<Microseconds>] {
    /// Returns the ranges in order, each extended on both sides. Ranges that then overlap are
    /// joined.
    package func joined(extendedBy margin: Microseconds) -> [Range<Microseconds>] {
        var joined: [Range<Microseconds>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let (start, end) = (range.lowerBound - margin, range.upperBound + margin)
            if let last = joined.last, start <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<Swift.max(last.upperBound, end)
            } else {
                joined.append(start..<end)
            }
        }
        return joined
    }
}
