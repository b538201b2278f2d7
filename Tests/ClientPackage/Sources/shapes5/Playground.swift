// Events that are created in a loop, and an engine that is started again after a reset.

import HapticBridge

func playground() throws {
    let engine = try CHHapticEngine()
    let hasRestarted = DispatchSemaphore(value: 0)
    engine.resetHandler = {
        try? engine.start()
        hasRestarted.signal()
    }
    engine.stoppedHandler = { reason in
        switch reason {
        case .audioSessionInterrupt, .applicationSuspended, .idleTimeout: print("interrupted")
        case .notifyWhenFinished, .engineDestroyed: print("over")
        case .gameControllerDisconnect, .systemError: print("error")
        @unknown default: print("unknown")
        }
    }
    try engine.start()

    var events = [CHHapticEvent]()
    for step in stride(from: 0, to: 3, by: 1) {
        let intensity = CHHapticEventParameter(
            parameterID: .hapticIntensity, value: Float(step + 2) / 5)
        let event = CHHapticEvent(
            eventType: .hapticTransient, parameters: [intensity],
            relativeTime: Double(step) * 0.1)
        events.append(event)
    }
    let pattern = try CHHapticPattern(events: events, parameters: [])
    try engine.makePlayer(with: pattern).start(atTime: 0)
    rest(0.5)

    for event in events { event.relativeTime += 0.05 }
    let held = CHHapticEvent(
        eventType: .hapticContinuous,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.9)],
        relativeTime: 0, duration: 30)
    try engine.makePlayer(with: CHHapticPattern(events: [held], parameters: [])).start(atTime: 0)
    hasRestarted.wait()
    try engine.makePlayer(with: CHHapticPattern(events: [events[0]], parameters: []))
        .start(atTime: 0)
    rest(0.3)
    engine.stop(completionHandler: nil)
}
