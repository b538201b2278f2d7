// Presets that are selected by name, generators of every kind, and a test double of the player.

import HapticBridge
import PlatformFeedback

@MainActor
private final class GeneratorPool<Generator: UIFeedbackGenerator> {
    private let make: () -> Generator
    private var generator: Generator?

    init(_ make: @escaping () -> Generator) { self.make = make }

    func prepared() -> Generator {
        let generator = generator ?? make()
        generator.prepare()
        self.generator = generator
        return generator
    }
}

private protocol PresetPlayer {
    func send(_ parameters: [CHHapticDynamicParameter])
}

private class RecordingPlayer: PresetPlayer {
    var values: [Float] = []
    func send(_ parameters: [CHHapticDynamicParameter]) {
        for parameter in parameters {
            let value: Float = parameter.value
            values.append(value)
        }
    }
}

private struct Preset: Sendable {
    let name: String
    let taps: [(time: TimeInterval, intensity: Float)]

    static let heartbeat = Preset(name: "heartbeat", taps: [(0, 1), (0.15, 0.6)])

    func pattern() throws -> CHHapticPattern {
        try CHHapticPattern(
            events: taps.map { tap in
                CHHapticEvent(
                    eventType: .hapticTransient,
                    parameters: [.init(parameterID: .hapticIntensity, value: tap.intensity)],
                    relativeTime: tap.time)
            }, parameters: [])
    }
}

@MainActor
func presets() throws {
    let double = RecordingPlayer()
    double.send([.init(parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 0)])
    precondition(double.values == [0.5])
    let engine = try CHHapticEngine()
    try engine.start()
    try engine.makePlayer(with: Preset.heartbeat.pattern()).start(atTime: 0)
    rest(0.4)
    let pool = GeneratorPool { UIImpactFeedbackGenerator(style: .heavy) }
    pool.prepared().impactOccurred(intensity: 0)
    rest(0.2)
}
