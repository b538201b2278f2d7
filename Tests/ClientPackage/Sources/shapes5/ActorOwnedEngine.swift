// An engine that an actor owns. The handlers of the engine access the actor.

import HapticBridge

private actor HapticActor {
    private var engine: CHHapticEngine?
    private var isStarted = false

    func prepare() throws {
        let engine = try CHHapticEngine()
        engine.stoppedHandler = { reason in
            print("stopped: \(reason.rawValue)")
            self.isStarted = false
        }
        engine.resetHandler = {
            self.isStarted = false
            try? self.start()
        }
        self.engine = engine
        try start()
    }

    private func start() throws {
        try engine?.start()
        isStarted = true
    }

    func play(_ intensity: Float) throws {
        guard isStarted else { return }
        let event = CHHapticEvent(
            eventType: .hapticTransient,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity)],
            relativeTime: 0)
        let pattern = try CHHapticPattern(events: [event], parameters: [])
        try engine?.makePlayer(with: pattern).start(atTime: CHHapticTimeImmediate)
    }
}

func actorOwnedEngine() throws {
    let isDone = DispatchSemaphore(value: 0)
    let actor = HapticActor()
    Task.detached {
        try await actor.prepare()
        for intensity in [Float(0.8), 0.4] {
            try await actor.play(intensity)
            try await Task.sleep(nanoseconds: 200_000_000)
        }
        isDone.signal()
    }
    isDone.wait()
}
