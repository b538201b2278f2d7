// ClockRegion: all straight lines that a set of bounds leaves, for ClockSync.

/// The lines `y = offset + drift · x` that pass below and above given points: a convex polygon in
/// the plane of offset and drift, cut by one half-plane for each bound.
///
/// What the lines say of any `x` then is an interval: its middle is the best guess, its half the
/// error that is left.
struct ClockRegion: Sendable {
    /// One line.
    struct Line: Sendable {
        var offset: Double
        var drift: Double

        func value(at x: Double) -> Double { offset + drift * x }
    }

    /// The corners in order; none if the bounds contradict each other.
    private(set) var corners: [Line]

    /// All lines with these offsets and drifts.
    init(offset: ClosedRange<Double>, drift: ClosedRange<Double>) {
        corners = [
            Line(offset: offset.lowerBound, drift: drift.lowerBound),
            Line(offset: offset.upperBound, drift: drift.lowerBound),
            Line(offset: offset.upperBound, drift: drift.upperBound),
            Line(offset: offset.lowerBound, drift: drift.upperBound),
        ]
    }

    /// Leaves the lines that are at most `y` at `x`.
    mutating func bound(at x: Double, above y: Double) { keep { y - $0.value(at: x) } }

    /// Leaves the lines that are at least `y` at `x`.
    mutating func bound(at x: Double, below y: Double) { keep { $0.value(at: x) - y } }

    /// What the lines say of `x`; nil if there is none.
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

    /// What the lines say of the drift; nil if there is none.
    var drifts: ClosedRange<Double>? {
        guard let low = corners.map(\.drift).min(), let high = corners.map(\.drift).max() else {
            return nil
        }
        return low...high
    }

    /// The likeliest line: with the middle of the `usual` drifts that are left, or of all if none of
    /// them is, and in the middle of the offsets that go with it. nil if there is none.
    func line(usual: ClosedRange<Double>) -> Line? {
        guard let drifts else { return nil }
        let likely = drifts.overlaps(usual) ? drifts.clamped(to: usual) : drifts
        let drift = (likely.lowerBound + likely.upperBound) / 2
        guard let offsets = offsets(ofDrift: drift) else { return nil }
        return Line(offset: (offsets.lowerBound + offsets.upperBound) / 2, drift: drift)
    }

    /// The offsets of the lines with a drift; nil if there is none.
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

    /// Cuts off the part in which `distance`, linear over the plane, is negative.
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
