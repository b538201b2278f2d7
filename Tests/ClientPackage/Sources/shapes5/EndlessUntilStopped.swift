// Patterns with events of unlimited duration, which extensions create. The events stop when the
// finger is lifted.

import HapticBridge

extension CHHapticPattern {
    fileprivate convenience init(rumble intensity: Float, duration: TimeInterval) throws {
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity)],
            relativeTime: 0, duration: duration)
        try self.init(events: [event], parameters: [])
    }
}

func endlessUntilStopped() throws {
    let engine = try CHHapticEngine()
    try engine.start()
    let durations = [TimeInterval.infinity, TimeInterval(GCHapticDurationInfinite)]
    for (duration, intensity) in zip(durations, [Float(0.4), 0.8]) {
        let pattern = try CHHapticPattern(rumble: intensity, duration: duration)
        let player = try engine.makeAdvancedPlayer(with: pattern)
        try player.start(atTime: CHHapticTimeImmediate)
        rest(0.2)
        try player.stop(atTime: CHHapticTimeImmediate)
        rest(0.1)
    }
}
