// CurveFitter: approximates a curve of values by a small number of ramps, while the points of the
// curve are being added.

/// Fits ramps that start and end at whole numbers to a curve that is linear between its points.
///
/// A ramp starts at a whole number. Each point narrows the cone of slopes whose lines pass all
/// points so far within the tolerance (a swing filter). If no slope remains, the ramp ends at the
/// previous point, at the whole number within the cone that is nearest to the curve. Therefore, the
/// distance between the curve and its ramps is at most the tolerance plus half a unit. Values that
/// must be exact (silence, holds) are *knots*: a ramp ends at a knot with exactly its value.
///
/// If the curve jumps to a value and holds that value, any value within a range may be used. Each
/// further point of the curve narrows this range until the curve leaves the range. The jump remains
/// open until then, so that the writer can choose the value that takes the fewest bytes.
struct CurveFitter: Sendable {
    /// The changes that have been found, in order of time. The caller is responsible for removing
    /// these changes.
    var events: [CurveEvent] = []
    /// The last value that has been settled, and the tick at which it applies.
    private(set) var anchor: (tick: Ticks, value: UInt8)?

    /// The maximum distance between a ramp and the points that are added next, in wire units.
    var tolerance: Double
    private let slack: Double
    private let settling: Ticks
    private var slopes = -Double.infinity...Double.infinity
    private var last: (tick: Ticks, value: Double)?
    /// The value before the last jump. If another jump follows at the same tick, the new jump
    /// replaces the last jump and starts from this value.
    private var beforeJump: UInt8?
    /// The jump to a held value, as long as the value can still be chosen; nil otherwise.
    private var hold: Hold?
    private let choice: HoldTolerance?
    /// True if a single ramp that starts at the anchor can approximate all points after the anchor.
    private var canRamp = true

    /// Creates a fitter.
    ///
    /// - Parameters:
    ///   - tolerance: the maximum distance between a ramp and a point, in wire units.
    ///   - slack: the maximum difference between a new value and the current value for which the
    ///     current value is kept, after a jump or in a hold; at least 0.5.
    ///   - initialValue: the value at tick 0; nil if the value on the device is unknown.
    ///   - choice: the values that are acceptable for a jump to a held value; nil if only the
    ///     nearest value is acceptable.
    ///   - settling: the length in ticks after which a ramp ends at the last point, even if the
    ///     ramp could continue.
    init(
        tolerance: Double, slack: Double, initialValue: UInt8?, choice: HoldTolerance? = nil,
        settling: Ticks = .max
    ) {
        self.settling = settling
        self.tolerance = tolerance
        self.slack = slack
        self.choice = choice
        anchor = initialValue.map { (0, $0) }
    }

    /// Continues the curve along a straight line to the given value.
    mutating func pass(_ tick: Ticks, _ value: Double) {
        guard let anchor else { return jump(tick, to: value) }
        guard tick > anchor.tick else {
            // If two lines meet within a tick, their values at that tick are nearly equal.
            if let range = holdRange(for: value) {
                hold?.range = range
                holdOn(until: tick, near: value)
            }
            return
        }
        if tick - anchor.tick > settling, let last, last.tick > anchor.tick { closeRamp() }
        if !follow(value, at: tick) {
            closeRamp()
            endHold()
            _ = follow(value, at: tick)
        }
        last = (tick, value)
    }

    /// Returns whether the hold or a ramp from the anchor can approximate the given point. Excludes
    /// the hold values and ramps that cannot approximate the point.
    private mutating func follow(_ value: Double, at tick: Ticks) -> Bool {
        let range = holdRange(for: value)
        let ramps = canRamp && narrow(to: value - tolerance...value + tolerance, at: tick)
        guard ramps || range != nil else { return false }
        if let range { hold?.range = range } else { hold?.isOver = true }
        canRamp = ramps
        return true
    }

    /// Continues the curve along a straight line to a value that must be represented by the nearest
    /// whole number.
    mutating func knot(_ tick: Ticks, _ value: Double) {
        guard let anchor, tick > anchor.tick else { return jump(tick, to: value) }
        if let range = holdRange(for: value) {
            hold?.range = range
            return holdOn(until: tick, near: value)
        }
        let holds = slopes.contains(0) && abs(Double(anchor.value) - value) <= slack
        let exact = holds ? anchor.value : value.nearestWireValue
        if canRamp, narrow(to: Double(exact) - 0.5...Double(exact) + 0.5, at: tick) {
            hold?.isOver = true
        } else {
            closeRamp()
            if self.anchor?.tick == tick { return jump(tick, to: value) }
            endHold()
        }
        last = (tick, value)
        closeRamp(at: exact)
    }

    /// Continues the curve to a value if no new event is needed; otherwise, keeps the last value.
    mutating func extend(_ tick: Ticks, _ value: Double) {
        guard let anchor, tick > anchor.tick else { return }
        if follow(value, at: tick) { last = (tick, value) }
    }

    /// Continues the curve with a jump to another value.
    mutating func jump(_ tick: Ticks, to value: Double) {
        closeRamp()
        if let range = holdRange(for: value), anchor?.tick ?? 0 <= tick {
            hold?.range = range
            return holdOn(until: tick, near: value)
        }
        if hold == nil, let anchor, anchor.tick == tick, abs(Double(anchor.value) - value) <= slack
        {
            return
        }
        if let last = events.last, last.tick == tick, last.duration == 0 {
            events.removeLast()
        } else {
            // The value of an open hold is not known yet, because the writer has not chosen it.
            beforeJump = hold == nil ? anchor?.value : nil
        }
        hold = nil
        if let before = beforeJump, abs(Double(before) - value) <= slack {
            anchor = (tick, before)
        } else {
            appendJump(tick, to: value)
        }
        forget()
    }

    /// Ends an open ramp. The value is unspecified from the given tick on.
    mutating func release(at tick: Ticks) {
        closeRamp()
        if let anchor, anchor.tick < tick { self.anchor = (tick, anchor.value) }
        forget()
    }

    /// The tick of the open jump, whose value may still change; nil if no jump is open.
    var openJump: Ticks? { hold?.tick }

    /// Keeps only the slopes whose lines pass through a range at the given tick. If there are no
    /// such slopes, keeps all slopes and returns false.
    private mutating func narrow(to range: ClosedRange<Double>, at tick: Ticks) -> Bool {
        guard let anchor, tick > anchor.tick else { return false }
        let length = Double(tick - anchor.tick)
        // A ramp cannot end outside the range of the wire values.
        let (lowest, highest) = (max(range.lowerBound, -0.5), min(range.upperBound, 255.49))
        let low = max(slopes.lowerBound, (lowest - Double(anchor.value)) / length)
        let high = min(slopes.upperBound, (highest - Double(anchor.value)) / length)
        guard low <= high else { return false }
        slopes = low...high
        return true
    }

    /// Ends the open ramp at the last point that was added.
    private mutating func closeRamp(at exact: UInt8? = nil) {
        guard let anchor, let last, last.tick > anchor.tick else { return }
        if exact == nil, let hold, !hold.isOver {
            return holdOn(until: last.tick, near: last.value)
        }
        endHold()
        let end = exact ?? endValue(from: anchor, to: last)
        if end != anchor.value { appendRamp(from: anchor, to: (last.tick, end)) }
        self.anchor = (last.tick, end)
        forget()
    }

    /// Returns the final value of a ramp. If the cone contains a horizontal line, the value does
    /// not change, because a constant value needs no event.
    private func endValue(
        from anchor: (tick: Ticks, value: UInt8), to last: (tick: Ticks, value: Double)
    ) -> UInt8 {
        guard !slopes.contains(0) else { return anchor.value }
        let length = Double(last.tick - anchor.tick)
        let low = Double(anchor.value) + slopes.lowerBound * length
        let high = Double(anchor.value) + slopes.upperBound * length
        return min(max(last.value, low), high).nearestWireValue
    }

    /// Appends a ramp. If the ramp exceeds the maximum duration, divides it into shorter ramps.
    private mutating func appendRamp(
        from start: (tick: Ticks, value: UInt8), to end: (tick: Ticks, value: UInt8)
    ) {
        let slope = (Double(end.value) - Double(start.value)) / Double(end.tick - start.tick)
        var tick = start.tick
        while tick < end.tick {
            let duration = min(end.tick - tick, StreamTime.longestDelta)
            let value = Double(start.value) + slope * Double(tick + duration - start.tick)
            events.append(
                CurveEvent(tick: tick, value: value.nearestWireValue, duration: duration))
            tick += duration
        }
    }

    private mutating func forget() {
        slopes = -Double.infinity...Double.infinity
        last = nil
        canRamp = true
    }
}

/// Methods for holds: jumps to a value that can be chosen from a range of acceptable values.
extension CurveFitter {
    private struct Hold {
        let tick: Ticks
        var range: ClosedRange<UInt8>
        /// True if the curve has left the range.
        var isOver = false
    }

    private mutating func appendJump(_ tick: Ticks, to value: Double) {
        let exact = value.nearestWireValue
        let range = choice?.range(for: value) ?? exact...exact
        anchor = (tick, exact)
        events.append(CurveEvent(tick: tick, value: exact, duration: 0, range: range))
        if range.count > 1 { hold = Hold(tick: tick, range: range) }
    }

    /// Returns the part of the open jump's range that is also acceptable for the given value; nil
    /// if no value is acceptable for both.
    private func holdRange(for value: Double) -> ClosedRange<UInt8>? {
        guard let hold, !hold.isOver, let choice else { return nil }
        let range = choice.range(for: value)
        guard range.overlaps(hold.range) else { return nil }
        return range.clamped(to: hold.range)
    }

    /// Extends the hold to the given tick. The acceptable value nearest to the curve becomes the
    /// value from which the next ramp starts.
    private mutating func holdOn(until tick: Ticks, near exact: Double) {
        guard let hold, let last = events.indices.last else { return }
        let nearest = exact.nearestWireValue
        let value = min(max(nearest, hold.range.lowerBound), hold.range.upperBound)
        events[last].value = value
        events[last].range = hold.range
        anchor = (max(tick, hold.tick), value)
        forget()
    }

    /// Ends the hold and fixes its value. The next ramp or jump starts from this value.
    private mutating func endHold() {
        guard hold != nil, let anchor, let last = events.indices.last else { return }
        events[last].value = anchor.value
        events[last].range = anchor.value...anchor.value
        hold = nil
    }
}
