// PlayedLevel: the level and the sharpness that a stream outputs over time.

/// The output of a stream at increasing times: the current ramp, or a tap that overrides it.
public struct PlayedLevel: Sendable {
    private let events: [StreamEvent]
    private let tapLength: @Sendable (UInt8) -> Ticks
    private var next = 0
    private var ramp = Line(0)
    private var gain = Line(255)
    private var sharpness: Line?
    private var tap = (level: 0, sharpness: 0, end: 0)

    /// The level of the latest tap, 0...255.
    package var tapLevel: Int { tap.level }

    /// Creates the output of a stream. Its position is the start of the stream.
    ///
    /// - Parameter tapLength: a closure that returns the length, in ticks, of a tap with the given
    ///   sharpness.
    public init(_ events: [StreamEvent], tapLength: @escaping @Sendable (UInt8) -> Ticks) {
        self.events = events
        self.tapLength = tapLength
    }

    /// Returns the taps of a stream, in order.
    public static func taps(of events: [StreamEvent]) -> [PlayedTap] {
        var played = PlayedLevel([]) { _ in 0 }
        return events.compactMap { event in
            played.perform(event)
            guard case .tap(_, let sharpness) = event.content else { return nil }
            return PlayedTap(tick: event.tick, level: played.tap.level, sharpness: sharpness)
        }
    }

    /// Returns the level at the given tick, 0...255.
    public mutating func level(at tick: Ticks) -> Int {
        advance(to: tick)
        return tick < tap.end ? tap.level : ramp.value(at: tick)
    }

    /// Returns the level and the sharpness at the given tick, both 0...255. The values are those of
    /// the tap if a tap is playing; otherwise, they are those of the ramps. The sharpness is 0
    /// before the stream sets it.
    public mutating func output(at tick: Ticks) -> (level: Int, sharpness: Int) {
        let level = level(at: tick)
        return (level, tick < tap.end ? tap.sharpness : sharpness?.value(at: tick) ?? 0)
    }

    /// Returns the sharpness of the ramp at the given tick, 0...255; nil before the stream sets the
    /// sharpness.
    public mutating func sharpness(at tick: Ticks) -> Int? {
        advance(to: tick)
        return sharpness?.value(at: tick)
    }

    /// Returns the first tick after the given tick at which the level or the sharpness can be
    /// different; nil if both remain the same. Call ``level(at:)`` or ``output(at:)`` with the given
    /// tick first.
    public func nextChange(after tick: Ticks) -> Ticks? {
        if tick < max(ramp.end, sharpness?.end ?? 0) { return tick + 1 }
        let event = next < events.count ? events[next].tick : .max
        let change = tick < tap.end ? min(event, tap.end) : event
        return change < .max ? change : nil
    }

    private mutating func advance(to tick: Ticks) {
        while next < events.count, events[next].tick <= tick {
            perform(events[next])
            next += 1
        }
    }

    /// Performs an event that begins at the present position or later, and is not in the stream.
    package mutating func perform(_ event: StreamEvent) {
        switch event.content {
        case .tap(let intensity, let sharpness):
            let level = (Int(intensity) * gain.value(at: event.tick) + 127) / 255
            tap = (level, Int(sharpness), event.tick + tapLength(sharpness))
        case .level(let level): ramp = Line(level)
        case .levelSharpness(let level, let value):
            ramp = Line(level)
            sharpness = Line(value)
        case .levelRamp(let level, let duration):
            ramp = ramp.moving(to: level, from: event.tick, in: duration)
        case .tapGain(let level, let duration):
            gain = gain.moving(to: level, from: event.tick, in: duration)
        case .sharpnessRamp(let value, let duration):
            let line = sharpness ?? Line(value)
            sharpness = line.moving(to: value, from: event.tick, in: duration)
        case .end: ramp = Line(0)
        }
    }

    /// A value that changes linearly and remains constant afterwards.
    private struct Line: Sendable {
        private var from = 0
        private var to: Int
        private var start = 0
        private(set) var end = 0

        init(_ value: UInt8) { to = Int(value) }

        func moving(to value: UInt8, from tick: Ticks, in duration: Ticks) -> Line {
            var line = Line(value)
            line.from = self.value(at: tick)
            (line.start, line.end) = (tick, tick + duration)
            return line
        }

        func value(at tick: Ticks) -> Int {
            guard tick < end else { return to }
            let fraction = Double(tick - start) / Double(end - start)
            return Int((Double(from) + Double(to - from) * fraction + 0.5).rounded(.down))
        }
    }
}
