// RandomPattern: random patterns that are more irregular than real patterns.

import HapticPatterns
import TestSupport

/// Random patterns of overlapping events with envelopes, curves and parameters.
enum RandomPattern {
    static func pattern(using generator: inout SeededGenerator) -> HapticPattern {
        let events = (0..<60).map { _ in event(using: &generator) }
        let ids: [DynamicParameterID] = [.hapticIntensityControl, .hapticSharpnessControl]
        let parameters = (0..<6).map { _ in
            let id = ids.randomElement(using: &generator)!
            return HapticDynamicParameter(
                id, time: time(using: &generator),
                value: Double.random(in: id.range, using: &generator))
        }
        let curves = (0..<6).map { _ in
            let id = ids.randomElement(using: &generator)!
            let points = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                HapticParameterCurve.Point(
                    time: .random(in: 0...1_000_000, using: &generator),
                    value: Double.random(in: id.range, using: &generator))
            }
            return HapticParameterCurve(id, time: time(using: &generator), points: points)
        }
        return HapticPattern(events: events, parameters: parameters, curves: curves)
    }

    private static func time(using generator: inout SeededGenerator) -> Microseconds {
        let time = Microseconds.random(in: 0...3_000_000, using: &generator)
        return Bool.random(using: &generator) ? time : time / 1_000 * 1_000
    }

    private static func event(using generator: inout SeededGenerator) -> HapticEvent {
        var adjuster: Double {
            Bool.random(using: &generator) ? 0 : Double.random(in: 0...0.8, using: &generator)
        }
        let envelope = Envelope(
            attackTime: adjuster, decayTime: adjuster, releaseTime: adjuster,
            sustained: Int.random(in: 0..<4, using: &generator) > 0)
        return HapticEvent(
            Bool.random(using: &generator) ? .hapticTransient : .hapticContinuous,
            time: time(using: &generator),
            duration: .random(in: 250...400_000, using: &generator),
            intensity: .random(in: 0...1, using: &generator),
            sharpness: .random(in: 0...1, using: &generator), envelope: envelope)
    }
}
