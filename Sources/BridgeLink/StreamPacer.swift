// StreamPacer: keeps a playing stream's ticks where they belong on the host's clock (SPEC 5, SCALE).

/// How late ticks of a stream were on the host's clock, as far as the host can tell.
public struct StreamTiming: Hashable, Sendable {
    /// From the earliest to the latest, in host microseconds; negative: early.
    public var lateness: ClosedRange<Microseconds>
    /// The true values lie within so many microseconds of these.
    public var errorBound: Microseconds

    public init(lateness: ClosedRange<Microseconds>, errorBound: Microseconds) {
        self.lateness = lateness
        self.errorBound = errorBound
    }

    mutating func note(_ other: StreamTiming) {
        lateness =
            min(
                lateness.lowerBound, other.lateness.lowerBound)...max(
                lateness.upperBound, other.lateness.upperBound)
        errorBound = max(errorBound, other.errorBound)
    }
}

/// Follows the device's tick line and bends it, never breaks it: each SCALE takes effect at a tick to
/// come, whose due time it keeps.
package struct StreamPacer: Sendable {
    /// A SCALE to send.
    package struct Change: Hashable, Sendable {
        package var tick: UInt32
        package var scale: TickScale
    }

    /// Ticks from `tick` on, which is due at `due` in 64-bit device microseconds.
    private struct Line {
        var tick: Double
        var due: Double
        var scale: TickScale

        func due(_ other: Double) -> Double { due + (other - tick) * scale.microseconds }
        func tick(dueAt time: Double) -> Double { tick + (time - due) / scale.microseconds }
    }

    /// Host microseconds of a tick.
    private let length: Double
    /// The host's time of tick 0.
    private let start: Double
    private var line: Line
    /// What follows `line`, once it was asked for.
    private var next: Line?
    /// Whether the device may have another scale than `line` says.
    private var isScaleSure: Bool
    /// The tick of the newest executed event, as far as is known.
    private var position = 0.0
    /// An event of this tick has met the last change, even if that came late.
    private var settled = 0.0

    /// From now to the tick at which a change takes effect: later than the device has rendered,
    /// 10 ms ahead, and than a SCALE that is lost once arrives.
    private static let lead = 40_000.0
    /// In which a change makes up for what is off.
    private static let catchUp = 250_000.0
    /// A stream that has begun so recently is changed from its tick 0 on: events that were rendered
    /// by then are off by less than the change makes up for.
    private static let beginning = 20_000.0
    /// What is less off needs no change, in microseconds.
    private static let tolerance = 2.0
    /// Changes are at most so much of the scale: clocks within 0.6 %, and what is to be made up.
    private static let share = 0.01

    /// - Parameters:
    ///   - length: of a tick in host microseconds.
    ///   - start: the host's time of tick 0.
    ///   - deviceStart: the device's, 64 bits.
    ///   - scale: at tick 0; one that is not sure is said again.
    package init(
        length: Double, start: Microseconds, deviceStart: Microseconds, scale: TickScale,
        isScaleSure: Bool = true
    ) {
        self.length = length
        self.start = Double(start)
        self.isScaleSure = isScaleSure
        line = Line(tick: 0, due: Double(deviceStart), scale: scale)
    }

    /// Whether a change has been asked for and is not surely in effect.
    package var isChanging: Bool { next != nil || position < settled }

    /// The scale that was asked for last, and whether the device surely has it.
    package var scale: (value: TickScale, isSure: Bool) {
        ((next ?? line).scale, !isChanging && isScaleSure)
    }

    /// Takes the tick of the newest executed event: a change before it is in effect.
    package mutating func note(position: UInt32) {
        self.position = Double(position)
        if let following = next, Double(position) > following.tick {
            line = following
            next = nil
            isScaleSure = true
        }
    }

    /// How late the ticks of `now` are; nil before tick 0.
    func timing(_ clock: ClockSync, at now: Microseconds) -> StreamTiming? {
        guard let device = clock.deviceTime(at: now) else { return nil }
        let time = Double(device.time)
        let present = next.flatMap { time >= $0.due ? $0 : nil } ?? line
        let tick = present.tick(dueAt: time)
        guard tick >= 0 else { return nil }
        let lateness = now - host(of: tick)
        return StreamTiming(lateness: lateness...lateness, errorBound: device.errorBound)
    }

    /// The change that is due at `now`, if there is one.
    ///
    /// One waits for the other: a SCALE that no event has met yet is replaced by the next. In a gap
    /// between events it is sent again from its own tick, with the scale that is right by now: what
    /// makes up for an error in a moment must not go on through the gap.
    package mutating func change(_ clock: ClockSync, at now: Microseconds) -> Change? {
        guard let device = clock.deviceTime(at: now).map({ Double($0.time) }) else { return nil }
        if let following = next, device <= following.due + Self.catchUp { return nil }
        let present = next ?? line
        let first = max(0, present.tick(dueAt: device + Self.lead)).rounded(.up)
        let hasJustBegun = line.tick == 0 && device < line.due + Self.beginning
        let from = next?.tick ?? (hasJustBegun ? 0 : first)
        let end = max(first, from) + (Self.catchUp / length).rounded(.up)
        guard end < Double(UInt32.max), let target = clock.deviceTime(at: host(of: end)),
            !isScaleSure || abs(Double(target.time) - present.due(end)) > Self.tolerance
        else { return nil }
        let due = present.due(from)
        let wanted = (Double(target.time) - due) / (end - from)
        let limits = (length * (1 - Self.share))...(length * (1 + Self.share))
        let scale = TickScale(
            microseconds: min(max(wanted, limits.lowerBound), limits.upperBound))
        guard !isScaleSure || scale != present.scale else { return nil }
        next = Line(tick: from, due: due, scale: scale)
        settled = max(first, from)
        return Change(tick: UInt32(from), scale: scale)
    }

    private func host(of tick: Double) -> Microseconds {
        Microseconds((start + tick * length).rounded())
    }
}
