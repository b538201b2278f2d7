// PlayedLevel: how strong a stream is at a moment.

/// The level of a stream's events at times that only go forward: the running ramp, and taps over it.
public struct PlayedLevel: Sendable {
    private let events: [StreamEvent]
    private let tapLength: @Sendable (UInt8) -> Ticks
    private var next = 0
    private var ramp = Line(0)
    private var gain = Line(255)
    private var tap = (level: 0, end: 0)

    /// - Parameter tapLength: how long a tap of a sharpness sounds.
    public init(_ events: [StreamEvent], tapLength: @escaping @Sendable (UInt8) -> Ticks) {
        self.events = events
        self.tapLength = tapLength
    }

    /// The level at a tick, 0...255.
    public mutating func level(at tick: Ticks) -> Int {
        while next < events.count, events[next].tick <= tick {
            perform(events[next])
            next += 1
        }
        return tick < tap.end ? tap.level : ramp.value(at: tick)
    }

    private mutating func perform(_ event: StreamEvent) {
        switch event.content {
        case .tap(let intensity, let sharpness):
            let level = (Int(intensity) * gain.value(at: event.tick) + 127) / 255
            tap = (level, event.tick + tapLength(sharpness))
        case .level(let level), .levelSharpness(let level, _): ramp = Line(level)
        case .levelRamp(let level, let duration):
            ramp = ramp.moving(to: level, from: event.tick, in: duration)
        case .tapGain(let level, let duration):
            gain = gain.moving(to: level, from: event.tick, in: duration)
        case .end:
            ramp = Line(0)
            tap.end = event.tick
        case .sharpnessRamp: break
        }
    }

    /// A value that moves linearly, and then stays.
    private struct Line: Sendable {
        private var from = 0
        private var to: Int
        private var start = 0
        private var end = 0

        init(_ value: UInt8) { to = Int(value) }

        func moving(to value: UInt8, from tick: Ticks, in duration: Ticks) -> Line {
            var line = Line(value)
            line.from = self.value(at: tick)
            (line.start, line.end) = (tick, tick + duration)
            return line
        }

        func value(at tick: Ticks) -> Int {
            guard tick < end else { return to }
            let share = Double(tick - start) / Double(end - start)
            return Int((Double(from) + Double(to - from) * share + 0.5).rounded(.down))
        }
    }
}
