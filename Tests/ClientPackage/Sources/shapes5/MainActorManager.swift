// A manager on the main actor that creates a new engine after a reset.

import HapticBridge

@MainActor
private final class HapticManager {
    static let shared = HapticManager()
    private var engine: CHHapticEngine?
    private(set) var resets = 0

    func prepare() {
        do {
            let engine = try CHHapticEngine()
            engine.resetHandler = { [weak self] in
                Task { @MainActor in
                    self?.engine = nil
                    self?.prepare()
                    self?.resets += 1
                }
            }
            engine.stoppedHandler = { [weak self] _ in
                Task { @MainActor in self?.engine = nil }
            }
            try engine.start()
            self.engine = engine
        } catch {
            engine = nil
        }
    }

    func play(_ pattern: CHHapticPattern) {
        do {
            let player = try engine?.makePlayer(with: pattern)
            try player?.start(atTime: CHHapticTimeImmediate)
        } catch {
            print("no haptics: \(error.localizedDescription)")
        }
    }
}

private func pattern(_ intensity: Float, for duration: TimeInterval) throws -> CHHapticPattern {
    let event = CHHapticEvent(
        eventType: .hapticContinuous,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity)],
        relativeTime: 0, duration: duration)
    return try CHHapticPattern(events: [event], parameters: [])
}

@MainActor
func mainActorManager() throws {
    HapticManager.shared.prepare()
    HapticManager.shared.play(try pattern(0.9, for: 30))
    while HapticManager.shared.resets == 0 { rest(0.02) }
    HapticManager.shared.play(try pattern(0.4, for: 0.1))
    rest(0.3)
}
