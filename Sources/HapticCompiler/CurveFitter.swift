// The fewest ramps through a course of values, found while the course arrives.

/// One change of a fitted value: a jump, or the start of a ramp.
struct CurveEvent: Equatable {
    var tick: Ticks
    /// The value after the jump, or at the end of the ramp.
    var value: UInt8
    /// How long the ramp takes; 0 for a jump.
    var duration: Ticks
    /// The values that would do as well; more than one only for a jump to a value that is held.
    var range: ClosedRange<UInt8>

    init(tick: Ticks, value: UInt8, duration: Ticks, range: ClosedRange<UInt8>? = nil) {
        self.tick = tick
        self.value = value
        self.duration = duration
        self.range = range ?? value...value
    }
}

/// Fits ramps between whole numbers to a course that is linear between the points it is given.
///
/// A ramp starts at a whole value. Each point narrows the cone of slopes that pass within the
/// tolerance of all points so far (a swing filter); when a point leaves no slope, the ramp ends at
/// the point before, on the whole number nearest to the course inside the cone. So the course is
/// never further from its ramps than the tolerance and half a unit. Values that must be exact
/// (silence, holds) are *knots*: a ramp ends there, on just that value.
///
/// A value that is jumped to and then held may be any in a range, which the course narrows until it
/// leaves it: the jump stays open that long, and its writer takes the value that costs least.
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
    /// The jump that is held, while it has a choice.
    private var hold: Hold?
    private let choice: HeldValues?
    /// Whether some ramp from the anchor passes all points since.
    private var canRamp = true

    /// Makes a fitter.
    ///
    /// - Parameters:
    ///   - tolerance: how far a ramp may pass from a point, in wire units.
    ///   - slack: how far the present value may be from a new one, after a jump or in a hold, to be
    ///     kept as it is; at least 0.5.
    ///   - initialValue: the value at tick 0; nil where the device may have any.
    ///   - choice: which values a held jump may have; nil for the nearest only.
    init(
        tolerance: Double, slack: Double, initialValue: UInt8?, choice: HeldValues? = nil
    ) {
        self.tolerance = tolerance
        self.slack = slack
        self.choice = choice
        anchor = initialValue.map { (0, $0) }
    }

    /// The course goes on straight to a value.
    mutating func pass(_ tick: Ticks, _ value: Double) {
        guard let anchor else { return jump(tick, to: value) }
        guard tick > anchor.tick else {
            // Two lines that meet within a tick meet nearly.
            if let range = holdRange(for: value) {
                hold?.range = range
                holdOn(until: tick, near: value)
            }
            return
        }
        if !follow(value, at: tick) {
            closeRamp()
            endHold()
            _ = follow(value, at: tick)
        }
        last = (tick, value)
    }

    /// Whether a hold or a ramp from the anchor reaches a point, and leaves those that do.
    private mutating func follow(_ value: Double, at tick: Ticks) -> Bool {
        let range = holdRange(for: value)
        let ramps = canRamp && narrow(to: value - tolerance...value + tolerance, at: tick)
        guard ramps || range != nil else { return false }
        if let range { hold?.range = range } else { hold?.isOver = true }
        canRamp = ramps
        return true
    }

    /// The course goes on straight to a value that has to be met by its nearest whole number.
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

    /// The course goes on to a value if that costs nothing, and holds the last one otherwise.
    mutating func extend(_ tick: Ticks, _ value: Double) {
        guard let anchor, tick > anchor.tick else { return }
        if follow(value, at: tick) { last = (tick, value) }
    }

    /// The course continues from another value.
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
            // Which value a hold has had is its writer's choice.
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

    /// The course may do anything from here on; a ramp that was open ends.
    mutating func release(at tick: Ticks) {
        closeRamp()
        if let anchor, anchor.tick < tick { self.anchor = (tick, anchor.value) }
        forget()
    }

    /// The jump whose value may still change.
    var openJump: Ticks? { hold?.tick }

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
        if exact == nil, let hold, !hold.isOver {
            return holdOn(until: last.tick, near: last.value)
        }
        endHold()
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
        canRamp = true
    }
}

/// Which values may stand for another that is held.
struct HeldValues: Sendable {
    /// How far from it they may be.
    var distance: Double
    /// Whether nothing but 0 may stand for 0, nor 0 for anything else.
    var keepsSilence: Bool

    /// 2 of 255, less what rounding adds to it.
    static let level = HeldValues(distance: 1.9, keepsSilence: true)
    /// 2 of 127, likewise.
    static let sharpness = HeldValues(distance: 3.9, keepsSilence: false)

    func range(for value: Double) -> ClosedRange<UInt8> {
        let nearest = value.nearestWireValue
        let low = UInt8(min(max((value - distance).rounded(.up), 0), Double(nearest)))
        let high = UInt8(max(min((value + distance).rounded(.down), 255), Double(nearest)))
        guard keepsSilence else { return low...high }
        return nearest == 0 ? 0...0 : max(low, 1)...high
    }
}

/// Holds: jumps that have a choice of values.
extension CurveFitter {
    private struct Hold {
        let tick: Ticks
        var range: ClosedRange<UInt8>
        /// Whether the course has left the range.
        var isOver = false
    }

    private mutating func appendJump(_ tick: Ticks, to value: Double) {
        let exact = value.nearestWireValue
        let range = choice?.range(for: value) ?? exact...exact
        anchor = (tick, exact)
        events.append(CurveEvent(tick: tick, value: exact, duration: 0, range: range))
        if range.count > 1 { hold = Hold(tick: tick, range: range) }
    }

    /// What is left of the open jump's range if the course has a value too; nil if nothing.
    private func holdRange(for value: Double) -> ClosedRange<UInt8>? {
        guard let hold, !hold.isOver, let choice else { return nil }
        let range = choice.range(for: value)
        guard range.overlaps(hold.range) else { return nil }
        return range.clamped(to: hold.range)
    }

    /// The course has been within the hold's range until a tick. A ramp that follows starts as near
    /// as may be to where the course is.
    private mutating func holdOn(until tick: Ticks, near exact: Double) {
        guard let hold, let last = events.indices.last else { return }
        let nearest = exact.nearestWireValue
        let value = min(max(nearest, hold.range.lowerBound), hold.range.upperBound)
        events[last].value = value
        events[last].range = hold.range
        anchor = (max(tick, hold.tick), value)
        forget()
    }

    /// What follows starts at the hold's value, so that this one has to be settled.
    private mutating func endHold() {
        guard hold != nil, let anchor, let last = events.indices.last else { return }
        events[last].value = anchor.value
        events[last].range = anchor.value...anchor.value
        hold = nil
    }
}
