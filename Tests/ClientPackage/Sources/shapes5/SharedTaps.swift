// Static functions that play taps of several strengths.

import HapticBridge

private class Haptics {
    private static var engine: CHHapticEngine?

    enum Strength: Float {
        case light = 0.4
        case medium = 0.6
        case heavy = 1
    }

    static func tap(_ strength: Strength) {
        if engine == nil {
            engine = try? CHHapticEngine()
            engine?.resetHandler = { try? Haptics.engine?.start() }
            engine?.stoppedHandler = { _ in Haptics.engine = nil }
        }
        do {
            try engine?.start()
            let event = CHHapticEvent(
                eventType: .hapticTransient,
                parameters: [
                    .init(parameterID: .hapticIntensity, value: strength.rawValue),
                    .init(parameterID: .hapticSharpness, value: 1),
                ], relativeTime: 0)
            let player = try engine?.makePlayer(with: .init(events: [event], parameters: []))
            try player?.start(atTime: CHHapticTimeImmediate)
        } catch {
            print("Failed to play pattern: \(error.localizedDescription).")
        }
    }
}

func sharedTaps() throws {
    for strength in [Haptics.Strength.light, .medium, .heavy] {
        Haptics.tap(strength)
        rest(0.2)
    }
}
