// PlayedStream: the values that a device plays, calculated from the events in a stream.

import HapticCompiler

/// A player that records the values of the ramps in a stream at each tick.
public struct PlayedStream {
    /// The level at each millisecond.
    public private(set) var level: [Double] = []
    /// The sharpness at each millisecond; nil before the first value is set.
    public private(set) var sharpness: [Double?] = []
    /// The taps, with their perceived intensity.
    public private(set) var taps: [(tick: Int, intensity: Int)] = []

    private struct Ramp {
        var start = 0
        var end = 0
        var from = 0.0
        var to = 0.0

        func value(at tick: Int) -> Double {
            tick >= end ? to : from + (to - from) * Double(tick - start) / Double(end - start)
        }

        mutating func move(to value: UInt8, at tick: Int, in duration: Int) {
            let from = self.value(at: tick)
            self = Ramp(start: tick, end: tick + duration, from: from, to: Double(value))
        }
    }

    public init(_ events: [StreamEvent]) {
        var (level, sharpness) = (Ramp(), Ramp())
        var gain = Ramp(from: 255, to: 255)
        var isKnown = false
        for event in events {
            while self.level.count * 4 < event.tick {
                self.level.append(level.value(at: self.level.count * 4))
                let value = sharpness.value(at: self.sharpness.count * 4)
                self.sharpness.append(isKnown ? value : nil)
            }
            switch event.content {
            case .tap(let intensity, _):
                let factor = Int((gain.value(at: event.tick) + 0.5).rounded(.down))
                taps.append((event.tick, (Int(intensity) * factor + 127) / 255))
            case .level(let value): level.move(to: value, at: event.tick, in: 0)
            case .levelSharpness(let value, let other):
                level.move(to: value, at: event.tick, in: 0)
                sharpness.move(to: other, at: event.tick, in: 0)
                isKnown = true
            case .levelRamp(let value, let duration):
                level.move(to: value, at: event.tick, in: duration)
            case .sharpnessRamp(let value, let duration):
                sharpness.move(to: value, at: event.tick, in: duration)
                isKnown = true
            case .tapGain(let value, let duration):
                gain.move(to: value, at: event.tick, in: duration)
            case .end: level.move(to: 0, at: event.tick, in: 0)
            }
        }
    }
}
