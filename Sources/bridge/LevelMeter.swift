// LevelMeter: how strong a stream is at a moment, for boards whose actuator cannot be looked at.

import HapticCompiler

/// The level of an event listing at times that only go forward: the running ramp and taps over it.
struct LevelMeter {
    private let events: [StreamEvent]
    /// How long a tap is shown, in ticks.
    private let tapLength: Int
    private var next = 0
    private var ramp = (from: 0.0, to: 0.0, start: 0, end: 0)
    private var tap = (level: 0.0, end: 0)

    /// Long enough to be seen.
    private static let tapMicroseconds: Int64 = 40_000

    init(_ events: [StreamEvent], tick: Int64) {
        self.events = events
        tapLength = Int(Self.tapMicroseconds / tick)
    }

    /// The level at a tick, 0...255.
    mutating func level(at tick: Int) -> Int {
        while next < events.count, events[next].tick <= tick {
            perform(events[next])
            next += 1
        }
        return Int(tick < tap.end ? max(tap.level, rampLevel(at: tick)) : rampLevel(at: tick))
    }

    private mutating func perform(_ event: StreamEvent) {
        switch event.content {
        case .tap(let intensity, _): tap = (Double(intensity), event.tick + tapLength)
        case .level(let level), .levelSharpness(let level, _): jump(to: level, at: event.tick)
        case .levelRamp(let level, let duration):
            ramp = (rampLevel(at: event.tick), Double(level), event.tick, event.tick + duration)
        case .end:
            jump(to: 0, at: event.tick)
            tap.end = event.tick
        case .sharpnessRamp, .tapGain: break
        }
    }

    private mutating func jump(to level: UInt8, at tick: Int) {
        ramp = (Double(level), Double(level), tick, tick)
    }

    private func rampLevel(at tick: Int) -> Double {
        guard tick < ramp.end else { return ramp.to }
        let share = Double(tick - ramp.start) / Double(ramp.end - ramp.start)
        return ramp.from + (ramp.to - ramp.from) * share
    }
}
