// A function that creates an engine, plays one event and releases everything.

import HapticBridge

private func vibrate(_ milliseconds: Double) {
    guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else { return }
    let duration: TimeInterval = milliseconds / 1000
    do {
        let engine = try CHHapticEngine()
        try engine.start()
        engine.resetHandler = { [weak engine] in
            do {
                try engine?.start()
            } catch {
                print("no restart")
            }
        }
        let intensity = CHHapticEventParameter(parameterID: .hapticIntensity, value: 1.0)
        let sharpness = CHHapticEventParameter(parameterID: .hapticSharpness, value: 1.0)
        let event = CHHapticEvent(
            eventType: .hapticContinuous, parameters: [intensity, sharpness], relativeTime: 0.0,
            duration: duration)
        let pattern = try CHHapticPattern(events: [event], parameters: [])
        let player = try engine.makePlayer(with: pattern)
        try player.start(atTime: 0)
        engine.notifyWhenPlayersFinished { _ in
            withExtendedLifetime(engine) { .stopEngine }
        }
    } catch {
        print("\(error)")
    }
}

func vibrateForMilliseconds() throws {
    vibrate(100)
    rest(0.5)
}
