// A helper that starts its engine for each tap.

import HapticBridge

private struct TapHelper {
    private let engine: CHHapticEngine?

    init() {
        engine = try? CHHapticEngine()
        engine?.isAutoShutdownEnabled = true
    }

    func success() {
        guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else { return }
        engine?.start { error in
            guard error == nil else { return }
            let intensity = CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.8)
            let event = CHHapticEvent(
                eventType: .hapticTransient, parameters: [intensity], relativeTime: 0)
            if let pattern = try? CHHapticPattern(events: [event], parameters: []) {
                try? engine?.makePlayer(with: pattern).start(atTime: 0)
            }
        }
    }
}

func tapHelper() throws {
    let helper = TapHelper()
    helper.success()
    rest(0.5)
}
