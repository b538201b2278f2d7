// RandomListing: random streams with so much repetition that the encoder uses slots and copies.

import HapticCompiler
import TestSupport

enum RandomListing {
    /// Returns the listing of a complete random stream.
    static func events(
        count: Int, using generator: inout SeededGenerator
    ) -> [StreamEvent] {
        let deltas = (0..<8).map { _ in delta(using: &generator) }
        let contents = (0..<12).map { _ in content(using: &generator) }
        var events: [StreamEvent] = []
        var tick = 0
        while events.count < count {
            let period = Int.random(in: 1...5, using: &generator)
            let cycle = (0..<period).map { _ -> (Int, StreamEvent.Content) in
                let delta = deltas.randomElement(using: &generator)!
                return (delta, contents.randomElement(using: &generator)!)
            }
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                for (delta, content) in cycle {
                    tick += delta
                    events.append(StreamEvent(content, at: tick))
                }
            }
            tick += delta(using: &generator)
            events.append(StreamEvent(content(using: &generator), at: tick))
        }
        return events + [StreamEvent(.end, at: tick + delta(using: &generator))]
    }

    private static func delta(using generator: inout SeededGenerator) -> Int {
        let limits = [1, 50, 200, 20_000, 70_000, 2_097_151, 5_000_000]
        return Int.random(in: 0...limits.randomElement(using: &generator)!, using: &generator)
    }

    private static func content(using generator: inout SeededGenerator) -> StreamEvent.Content {
        let value = UInt8.random(in: 0...255, using: &generator)
        let other = UInt8.random(in: 0...255, using: &generator)
        let limits = [0, 127, 16_383, 65_536, 2_097_151]
        let duration = Int.random(
            in: 0...limits.randomElement(using: &generator)!, using: &generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0, 1: return .tap(intensity: value, sharpness: other)
        case 2: return .level(value)
        case 3: return .levelSharpness(level: value, sharpness: other)
        case 4: return .levelRamp(to: value, duration: duration)
        case 5: return .sharpnessRamp(to: value, duration: duration)
        default: return .tapGain(to: value, duration: duration)
        }
    }
}
