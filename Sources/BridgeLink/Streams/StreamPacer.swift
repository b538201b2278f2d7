// StreamPacer: synchronizes the ticks of a playing stream with the host's clock (SPEC 5, SCALE).

/// Tracks the device times of the ticks and corrects these times smoothly: each SCALE takes effect
/// at a future tick, and the device time of that tick does not change.
package struct StreamPacer: Sendable {
    /// A SCALE message to be sent.
    package struct Change: Hashable, Sendable {
        package var tick: UInt32
        package var scale: TickScale
    }

    /// A linear relation between ticks and device times, from `tick` on. `tick` is due at `due`, in
    /// 64-bit device microseconds.
    private struct Line {
        var tick: Double
        var due: Double
        var scale: TickScale

        func due(_ other: Double) -> Double { due + (other - tick) * scale.microseconds }
        func tick(dueAt time: Double) -> Double { tick + (time - due) / scale.microseconds }
    }

    /// The length of a tick in host microseconds.
    private let length: Double
    /// The host time of tick 0.
    private let start: HostTime
    private var line: Line
    /// The line that replaces `line` when the requested change takes effect; nil if no change has
    /// been requested.
    private var next: Line?
    /// True if the device is certain to use the scale of `line`.
    private var isScaleSure: Bool
    /// The tick of the event that was executed last, as far as known.
    private var position = 0.0
    /// The first tick from which all events are certain to use the last change, even if the change
    /// arrived late.
    private var settled = 0.0

    /// The time from now until the tick at which a change takes effect, in microseconds. The value
    /// exceeds the sum of two times: the 10 ms by which the device renders ahead, and the time that
    /// a SCALE takes to arrive if one copy is lost.
    private static let lead = 40_000.0
    /// The time that a change takes to correct the error, in microseconds.
    private static let catchUp = 250_000.0
    /// The time after the start of a stream during which the scale is changed from tick 0 on, in
    /// microseconds. The timing error of events that have already been rendered is smaller than the
    /// correction.
    private static let beginning = 20_000.0
    /// The maximum timing error for which the scale need not be changed, in microseconds.
    private static let tolerance = 2.0
    /// The maximum change of the scale, as a fraction of the scale. The maximum is sufficient for
    /// clocks that differ by 0.6 % and for the correction of errors.
    private static let changeMax = 0.01

    /// Creates a pacer for a stream that has been started.
    ///
    /// - Parameters:
    ///   - length: the length of a tick in host microseconds.
    ///   - start: the host time of tick 0.
    ///   - deviceStart: the device time of tick 0, with 64 bits.
    ///   - scale: the scale at tick 0.
    ///   - isScaleSure: true if the device is certain to use that scale; if false, the scale is sent
    ///     again.
    package init(
        length: Double, start: HostTime, deviceStart: DeviceTime, scale: TickScale,
        isScaleSure: Bool = true
    ) {
        self.length = length
        self.start = start
        self.isScaleSure = isScaleSure
        line = Line(tick: 0, due: Double(deviceStart.microseconds), scale: scale)
    }

    /// True if a change has been requested and might not have taken effect yet.
    package var isChanging: Bool { next != nil || position < settled }

    /// The scale that was requested last, and whether the device is certain to use it.
    package var scale: (value: TickScale, isSure: Bool) {
        ((next ?? line).scale, !isChanging && isScaleSure)
    }

    /// Stores the tick of the event that was executed last. A change before that tick has taken
    /// effect.
    package mutating func record(position: UInt32) {
        self.position = Double(position)
        if let following = next, Double(position) > following.tick {
            line = following
            next = nil
            isScaleSure = true
        }
    }

    /// Returns the lateness of the tick that is due at `now`, in microseconds; nil before tick 0.
    package func lateness(_ clock: ClockSync, at now: HostTime) -> Microseconds? {
        timing(clock, at: now)?.lateness.upperBound
    }

    /// Returns the lateness of the tick that is due at `now`, with its error bound; nil before tick
    /// 0, or if the device's clock is not known yet.
    package func timing(_ clock: ClockSync, at now: HostTime) -> StreamTiming? {
        guard let device = clock.deviceTime(at: now) else { return nil }
        let time = Double(device.time.microseconds)
        let present = next.flatMap { time >= $0.due ? $0 : nil } ?? line
        let tick = present.tick(dueAt: time)
        guard tick >= 0 else { return nil }
        let lateness = now - host(of: tick)
        return StreamTiming(lateness: lateness...lateness, errorBound: device.errorBound)
    }

    /// Returns the change that is due at `now`; nil if no change is due.
    ///
    /// A change is requested only after the previous change has taken effect. A SCALE that has not
    /// yet affected any event may be replaced. In a gap between events, the SCALE is sent again for
    /// the same tick with an updated scale, because a scale that corrects an error within a short
    /// time must not remain in effect for the whole gap.
    package mutating func change(_ clock: ClockSync, at now: HostTime) -> Change? {
        guard let device = clock.deviceTime(at: now).map({ Double($0.time.microseconds) }) else {
            return nil
        }
        if let following = next, device <= following.due + Self.catchUp { return nil }
        let present = next ?? line
        let first = max(0, present.tick(dueAt: device + Self.lead)).rounded(.up)
        let hasJustBegun = line.tick == 0 && device < line.due + Self.beginning
        let from = next?.tick ?? (hasJustBegun ? 0 : first)
        let end = max(first, from) + (Self.catchUp / length).rounded(.up)
        guard end < Double(UInt32.max), let target = clock.deviceTime(at: host(of: end)),
            !isScaleSure
                || abs(Double(target.time.microseconds) - present.due(end)) > Self.tolerance
        else { return nil }
        let due = present.due(from)
        let wanted = (Double(target.time.microseconds) - due) / (end - from)
        let limits = (length * (1 - Self.changeMax))...(length * (1 + Self.changeMax))
        let scale = TickScale(
            microseconds: min(max(wanted, limits.lowerBound), limits.upperBound))
        guard !isScaleSure || scale != present.scale else { return nil }
        next = Line(tick: from, due: due, scale: scale)
        settled = max(first, from)
        return Change(tick: UInt32(from), scale: scale)
    }

    private func host(of tick: Double) -> HostTime {
        HostTime(
            microseconds: Int64((Double(start.microseconds) + tick * length).rounded()))
    }
}
