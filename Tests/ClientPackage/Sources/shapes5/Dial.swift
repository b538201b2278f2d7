// A dial with a hum that follows a finger through dynamic parameters, and with a tap at the opening
// position.

import HapticBridge

private final class Dial {
    private var engine: CHHapticEngine?
    private var hum: CHHapticAdvancedPatternPlayer?

    func prepare() throws {
        engine = try CHHapticEngine(audioSession: nil)
        try engine?.start()
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [.init(parameterID: .hapticIntensity, value: 1)], relativeTime: 0,
            duration: 100)
        hum = try engine?.makeAdvancedPlayer(
            with: CHHapticPattern(events: [event], parameters: []))
        hum?.loopEnabled = true
    }

    func turn(to angle: Float) throws {
        let strength = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: angle, relativeTime: 0)
        try hum?.sendParameters([strength], atTime: CHHapticTimeImmediate)
    }

    func begin() throws { try hum?.start(atTime: CHHapticTimeImmediate) }

    func open() throws {
        try hum?.stop(atTime: CHHapticTimeImmediate)
        let event = CHHapticEvent(
            eventType: .hapticTransient,
            parameters: [.init(parameterID: .hapticIntensity, value: 0.6)], relativeTime: 0.1)
        try engine?.makePlayer(with: CHHapticPattern(events: [event], parameters: []))
            .start(atTime: CHHapticTimeImmediate)
    }
}

func dial() throws {
    let dial = Dial()
    try dial.prepare()
    try dial.turn(to: 0.4)
    try dial.begin()
    rest(0.2)
    try dial.turn(to: 0.8)
    rest(0.2)
    try dial.open()
    rest(0.3)
}
