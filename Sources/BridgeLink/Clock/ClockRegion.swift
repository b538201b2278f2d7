// ClockRegion: the set of all straight lines that satisfy a set of bounds. ClockSync uses it.

/// The lines `y = offset + drift · x` that pass below or above given points. In the plane of offset
/// and drift, the lines form a convex polygon, and each bound removes one half-plane from the
/// polygon.
///
/// At any `x`, the values of these lines form an interval. The midpoint of the interval is the best
/// estimate, and half its width is the remaining error.
struct ClockRegion: Sendable {
    /// A line, represented by one point in the plane of offset and drift.
    struct Line: Sendable {
        var offset: Double
        var drift: Double

        func value(at x: Double) -> Double { offset + drift * x }
    }

    /// The corners of the polygon in order; empty if the bounds contradict each other.
    private(set) var corners: [Line]

    /// Creates the region of all lines whose offsets and drifts are in the given ranges.
    init(offset: ClosedRange<Double>, drift: ClosedRange<Double>) {
        corners = [
            Line(offset: offset.lowerBound, drift: drift.lowerBound),
            Line(offset: offset.upperBound, drift: drift.lowerBound),
            Line(offset: offset.upperBound, drift: drift.upperBound),
            Line(offset: offset.lowerBound, drift: drift.upperBound),
        ]
    }

    /// Removes the lines that are above `y` at `x`.
    mutating func bound(at x: Double, above y: Double) { keep { y - $0.value(at: x) } }

    /// Removes the lines that are below `y` at `x`.
    mutating func bound(at x: Double, below y: Double) { keep { $0.value(at: x) - y } }

    /// Returns the interval of the values of all lines at `x`, or nil if no line remains.
    func values(at x: Double) -> ClosedRange<Double>? {
        guard var low = corners.first?.value(at: x) else { return nil }
        var high = low
        for corner in corners.dropFirst() {
            let value = corner.value(at: x)
            low = min(low, value)
            high = max(high, value)
        }
        return low...high
    }

    /// The interval of the drifts of all lines; nil if no line remains.
    var drifts: ClosedRange<Double>? {
        guard let low = corners.map({ $0.drift }).min(), let high = corners.map({ $0.drift }).max()
        else {
            return nil
        }
        return low...high
    }

    /// Returns the most likely line; nil if no line remains. The drift of this line is the midpoint
    /// of the remaining drifts within `usual`, or the midpoint of all remaining drifts if no
    /// remaining drift is within `usual`. The offset of this line is the midpoint of the remaining
    /// offsets of lines with that drift.
    func line(usual: ClosedRange<Double>) -> Line? {
        guard let drifts else { return nil }
        let likely = drifts.overlaps(usual) ? drifts.clamped(to: usual) : drifts
        let drift = (likely.lowerBound + likely.upperBound) / 2
        guard let offsets = offsets(ofDrift: drift) else { return nil }
        return Line(offset: (offsets.lowerBound + offsets.upperBound) / 2, drift: drift)
    }

    /// Returns the interval of the offsets of all lines with the given drift; nil if no line has
    /// the drift.
    private func offsets(ofDrift drift: Double) -> ClosedRange<Double>? {
        var found: [Double] = []
        for (index, corner) in corners.enumerated() {
            let next = corners[(index + 1) % corners.count]
            let (here, there) = (corner.drift - drift, next.drift - drift)
            if here == 0 { found.append(corner.offset) }
            if (here < 0) != (there < 0) {
                found.append(corner.offset + (next.offset - corner.offset) * here / (here - there))
            }
        }
        guard let low = found.min(), let high = found.max() else { return nil }
        return low...high
    }

    /// Cuts off the part of the polygon in which `distance`, a linear function of offset and drift,
    /// is negative.
    private mutating func keep(_ distance: (Line) -> Double) {
        guard corners.contains(where: { distance($0) < 0 }) else { return }
        var kept: [Line] = []
        for (index, corner) in corners.enumerated() {
            let next = corners[(index + 1) % corners.count]
            let here = distance(corner)
            let there = distance(next)
            if here >= 0 { kept.append(corner) }
            if (here < 0) != (there < 0) {
                let part = here / (here - there)
                kept.append(
                    Line(
                        offset: corner.offset + (next.offset - corner.offset) * part,
                        drift: corner.drift + (next.drift - corner.drift) * part))
            }
        }
        corners = kept
    }
}
