// TapGain: gain ramps that scale the taps of a row to their intended intensities.

/// The tap gain of SPEC 6: (intensity × gain + 127) / 255.
enum TapGain {
    /// The initial gain, which does not change intensities.
    static let full: UInt8 = 255
    /// The cost of a jump in the gain, in bytes.
    static let jumpCost = 4

    static func jump(to gain: UInt8, at tick: Ticks) -> StreamEvent {
        StreamEvent(.tapGain(to: gain, duration: 0), at: tick)
    }

    static func event(_ change: CurveEvent) -> StreamEvent {
        StreamEvent(.tapGain(to: change.value, duration: change.duration), at: change.tick)
    }

    /// Returns an intensity scaled by a gain.
    static func apply(_ gain: Int, to intensity: UInt8) -> Int {
        (Int(intensity) * gain + 127) / 255
    }

    /// Returns the range of gains for which the intensity of a tap is within 1 of its exact
    /// intensity; nil if there is no such gain.
    static func range(for tap: RowTap) -> ClosedRange<Int>? {
        guard tap.base > 0 else { return nil }
        let base = Double(tap.base)
        let low = max(0, Int(((tap.exact - 1) * 255 / base).rounded(.down)) - 1)
        let high = min(255, Int(((tap.exact + 1) * 255 / base).rounded(.up)) + 1)
        let fits = (low...max(low, high)).lazy.filter {
            $0 <= 255 && abs(Double(apply($0, to: tap.base)) - tap.exact) <= 1
        }
        guard let first = fits.first, let last = fits.last else { return nil }
        return first...last
    }

    /// Returns the gain changes that bring the intensity of every tap in a row within 1 of its
    /// exact intensity; nil if no gain changes achieve this.
    ///
    /// - Parameter present: the current gain, which applies before the row.
    static func curve(through row: [RowTap], from present: UInt8) -> [CurveEvent]? {
        var ranges: [ClosedRange<Int>] = []
        for tap in row {
            guard let range = range(for: tap) else { return nil }
            ranges.append(range)
        }
        var curve: [CurveEvent] = []
        var value = present
        if !ranges[0].contains(Int(present)) {
            value = UInt8(middle(of: ranges[0]))
            curve.append(CurveEvent(tick: row[0].tick, value: value, duration: 0))
        }
        var index = 0
        while index + 1 < row.count {
            guard let ramp = longestRamp(from: index, value, through: row, ranges)
            else { return nil }
            let start = row[index].tick
            if ramp.value != value {
                curve.append(
                    CurveEvent(
                        tick: start, value: ramp.value, duration: row[ramp.index].tick - start))
            }
            (index, value) = ramp
        }
        return curve
    }

    /// Returns the last tap that can be reached by a single ramp from the given tap, and the gain
    /// at the last tap.
    private static func longestRamp(
        from index: Int, _ value: UInt8, through row: [RowTap], _ ranges: [ClosedRange<Int>]
    ) -> (index: Int, value: UInt8)? {
        let start = Double(value)
        var slopes = -Double.infinity...Double.infinity
        var best: (index: Int, value: UInt8)?
        for next in (index + 1)..<row.count {
            let length = Double(row[next].tick - row[index].tick)
            guard length > 0 else {
                guard ranges[next].contains(Int(value)) else { break }
                best = (next, value)
                continue
            }
            // The device rounds halves up.
            let least = Double(ranges[next].lowerBound) - 0.5
            let most = Double(ranges[next].upperBound) + 0.499
            let low = max(slopes.lowerBound, (least - start) / length)
            let high = min(slopes.upperBound, (most - start) / length)
            guard low <= high else { break }
            slopes = low...high
            let exact = row[next].exact * 255 / Double(row[next].base)
            guard
                let end = wholeValue(
                    from: start + low * length, to: start + high * length, near: exact)
            else { continue }
            best = (next, end)
        }
        return best
    }

    /// Returns the whole gain between two values that is nearest to a third value; nil if no whole
    /// gain lies between the two values.
    private static func wholeValue(
        from low: Double, to high: Double, near exact: Double
    ) -> UInt8? {
        let nearest = min(max(exact, low), high).rounded()
        return [nearest, nearest - 1, nearest + 1].first { (low...high).contains($0) }
            .flatMap { UInt8(exactly: $0) }
    }

    private static func middle(of range: ClosedRange<Int>) -> Int {
        (range.lowerBound + range.upperBound) / 2
    }
}
