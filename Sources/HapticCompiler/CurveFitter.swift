// The fewest ramps through a course of values, found while the course arrives.

/// One change of a fitted value: a jump, or the start of a ramp.
struct CurveEvent: Equatable {
    var tick: Ticks
    /// The value after the jump, or at the end of the ramp.
    var value: UInt8
    /// How long the ramp takes; 0 for a jump.
    var duration: Ticks
}

/// Fits ramps between whole numbers to a course that is linear between the points it is given.
///
/// A ramp starts at a whole value. Each point narrows the cone of slopes that pass within the
/// tolerance of all points so far (a swing filter); when a point leaves no slope, the ramp ends at
/// the point before, on the whole number nearest to the course inside the cone. So the course is
/// never further from its ramps than the tolerance and half a unit. Values that must be exact
/// (silence, holds) are *knots*: a ramp ends there, on just that value.
struct CurveFitter: Sendable {
    /// The changes found so far, in order of time. The caller takes them out.
    var events: [CurveEvent] = []
    /// The value where the course stands, and the tick from which it is not settled.
    private(set) var anchor: (tick: Ticks, value: UInt8)?

    private let tolerance: Double
    private let slack: Double
    private var slopes = -Double.infinity...Double.infinity
    private var last: (tick: Ticks, value: Double)?
    /// The value that the last jump replaced, for a jump at the same tick to take its place.
    private var beforeJump: UInt8?

    /// Makes a fitter.
    ///
    /// - Parameters:
    ///   - tolerance: how far a ramp may pass from a point, in wire units.
    ///   - slack: how far the present value may be from a new one, after a jump or in a hold, to be
    ///     kept as it is; at least 0.5.
    ///   - initialValue: the value at tick 0; nil where the device may have any.
    init(tolerance: Double, slack: Double, initialValue: UInt8?) {
        self.tolerance = tolerance
        self.slack = slack
        anchor = initialValue.map { (0, $0) }
    }

    /// The course goes on straight to a value.
    mutating func pass(_ tick: Ticks, _ value: Double) {
        guard let anchor else { return jump(tick, to: value) }
        guard tick > anchor.tick else { return }
        if !narrow(to: value - tolerance...value + tolerance, at: tick) {
            closeRamp()
            _ = narrow(to: value - tolerance...value + tolerance, at: tick)
        }
        last = (tick, value)
    }

    /// The course goes on straight to a value that has to be met by its nearest whole number.
    mutating func knot(_ tick: Ticks, _ value: Double) {
        guard let anchor, tick > anchor.tick else { return jump(tick, to: value) }
        let holds = slopes.contains(0) && abs(Double(anchor.value) - value) <= slack
        let exact = holds ? anchor.value : value.nearestWireValue
        if !narrow(to: Double(exact) - 0.5...Double(exact) + 0.5, at: tick) {
            closeRamp()
            if self.anchor?.tick == tick { return jump(tick, to: value) }
        }
        last = (tick, value)
        closeRamp(at: exact)
    }

    /// The course goes on to a value if that costs nothing, and holds the last one otherwise.
    mutating func extend(_ tick: Ticks, _ value: Double) {
        guard let anchor, tick > anchor.tick else { return }
        if narrow(to: value - tolerance...value + tolerance, at: tick) { last = (tick, value) }
    }

    /// The course continues from another value.
    mutating func jump(_ tick: Ticks, to value: Double) {
        closeRamp()
        if let anchor, anchor.tick == tick, abs(Double(anchor.value) - value) <= slack { return }
        if let last = events.last, last.tick == tick, last.duration == 0 {
            events.removeLast()
        } else {
            beforeJump = anchor?.value
        }
        if let before = beforeJump, abs(Double(before) - value) <= slack {
            anchor = (tick, before)
        } else {
            anchor = (tick, value.nearestWireValue)
            events.append(CurveEvent(tick: tick, value: value.nearestWireValue, duration: 0))
        }
        forget()
    }

    /// The course may do anything from here on; a ramp that was open ends.
    mutating func release(at tick: Ticks) {
        closeRamp()
        if let anchor, anchor.tick < tick { self.anchor = (tick, anchor.value) }
        forget()
    }

    /// Leaves only the slopes that meet a range at a tick; false, and no change, if none does.
    private mutating func narrow(to range: ClosedRange<Double>, at tick: Ticks) -> Bool {
        guard let anchor, tick > anchor.tick else { return false }
        let length = Double(tick - anchor.tick)
        // No ramp can end beyond the wire's range.
        let (lowest, highest) = (max(range.lowerBound, -0.5), min(range.upperBound, 255.49))
        let low = max(slopes.lowerBound, (lowest - Double(anchor.value)) / length)
        let high = min(slopes.upperBound, (highest - Double(anchor.value)) / length)
        guard low <= high else { return false }
        slopes = low...high
        return true
    }

    /// Ends the open ramp at the last point.
    private mutating func closeRamp(at exact: UInt8? = nil) {
        guard let anchor, let last, last.tick > anchor.tick else { return }
        let end = exact ?? endValue(from: anchor, to: last)
        if end != anchor.value { appendRamp(from: anchor, to: (last.tick, end)) }
        self.anchor = (last.tick, end)
        forget()
    }

    /// Holding costs nothing, so it wins where the cone allows it.
    private func endValue(
        from anchor: (tick: Ticks, value: UInt8), to last: (tick: Ticks, value: Double)
    ) -> UInt8 {
        guard !slopes.contains(0) else { return anchor.value }
        let length = Double(last.tick - anchor.tick)
        let low = Double(anchor.value) + slopes.lowerBound * length
        let high = Double(anchor.value) + slopes.upperBound * length
        return min(max(last.value, low), high).nearestWireValue
    }

    /// A ramp, in as many parts as the longest duration asks for.
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
    }
}
