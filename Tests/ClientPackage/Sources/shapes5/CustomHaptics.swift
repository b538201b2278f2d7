// The model of a screen. The model creates its engine once and plays the values of the screen's
// sliders.

import HapticBridge

private final class Model {
    private var engine: CHHapticEngine?
    var intensity: Float = 1
    var duration: TimeInterval = 0.1

    init() {
        guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else { return }
        engine = try? CHHapticEngine(audioSession: nil)
        try? engine?.start()
    }

    func play() {
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [.init(parameterID: .hapticIntensity, value: intensity)],
            relativeTime: 0, duration: duration)
        do {
            let pattern = try CHHapticPattern(events: [event], parameters: [])
            try engine?.makePlayer(with: pattern).start(atTime: 0)
        } catch {
            print(error.localizedDescription)
        }
    }
}

func customHaptics() throws {
    let model = Model()
    model.play()
    rest(0.3)
    model.intensity = 0.4
    model.play()
    rest(0.3)
}
