// Screens that are shown one after the other, each with its own engine.

import HapticBridge

private class Screen {
    private var engine: CHHapticEngine!
    private var player: CHHapticPatternPlayer?

    func viewWillAppear() {
        do {
            engine = try CHHapticEngine()
            try engine.start()
        } catch let error {
            fatalError("Engine Creation Error: \(error)")
        }
    }

    func viewDidDisappear() {
        let isStopped = DispatchSemaphore(value: 0)
        engine.stop { _ in isStopped.signal() }
        isStopped.wait()
    }

    func slide(to value: Float) {
        let event = CHHapticEvent(
            eventType: .hapticContinuous, parameters: [], relativeTime: 0, duration: 0.1)
        let change = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: value, relativeTime: 0)
        let intensity = CHHapticEventParameter(parameterID: .hapticIntensity, value: 1)
        let loud = CHHapticEvent(
            eventType: event.type, parameters: [intensity], relativeTime: event.relativeTime,
            duration: event.duration)
        guard let pattern = try? CHHapticPattern(events: [loud], parameters: [change]) else {
            return
        }
        player = try? engine.makePlayer(with: pattern)
        try? player?.start(atTime: CHHapticTimeImmediate)
    }
}

func controllersInTurn() throws {
    for value in [Float(0.4), 0.8] {
        let screen = Screen()
        screen.viewWillAppear()
        screen.slide(to: value)
        rest(0.3)
        screen.viewDidDisappear()
    }
}
