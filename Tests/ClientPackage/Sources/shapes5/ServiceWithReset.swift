// A service that creates a new engine when the old engine is reset.

import HapticBridge

private final class HapticService {
    static let shared = HapticService()
    private var engine: CHHapticEngine?
    private var player: CHHapticAdvancedPatternPlayer?
    let hasRestarted = DispatchSemaphore(value: 0)

    func prepare() {
        guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else { return }
        do {
            engine = try CHHapticEngine()
            engine?.playsHapticsOnly = true
            engine?.stoppedHandler = { reason in NSLog("stopped: %d", reason.rawValue) }
            engine?.resetHandler = { [weak self] in
                self?.engine = nil
                self?.prepare()
                self?.hasRestarted.signal()
            }
            try engine?.start()
        } catch {
            engine = nil
        }
    }

    func vibrate(intensity: Float, for duration: TimeInterval) {
        let parameters = [
            CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity),
            CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.4),
        ]
        let event = CHHapticEvent(
            eventType: .hapticContinuous, parameters: parameters, relativeTime: 0,
            duration: duration)
        guard let pattern = try? CHHapticPattern(events: [event], parameters: []) else { return }
        player = try? engine?.makeAdvancedPlayer(with: pattern)
        try? player?.start(atTime: CHHapticTimeImmediate)
    }
}

func serviceWithReset() throws {
    HapticService.shared.prepare()
    HapticService.shared.vibrate(intensity: 0.9, for: 30)
    HapticService.shared.hasRestarted.wait()
    HapticService.shared.vibrate(intensity: 0.4, for: 0.1)
    rest(0.3)
}
