// Amplitudes that another runtime supplies, represented as curves over one long event.

import HapticBridge

private final class Effects {
    private var engine: CHHapticEngine?
    private var player: CHHapticAdvancedPatternPlayer?

    func start() throws {
        engine = try CHHapticEngine()
        engine?.playsHapticsOnly = true
        try engine?.start()
    }

    /// - Parameter amplitudes: an array in which times and values alternate.
    func play(_ amplitudes: [Double], frequency: Float) throws {
        var points: [CHHapticParameterCurve.ControlPoint] = []
        for index in stride(from: 0, to: amplitudes.count, by: 2) {
            points.append(
                CHHapticParameterCurve.ControlPoint(
                    relativeTime: amplitudes[index], value: Float(amplitudes[index + 1])))
        }
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl, controlPoints: points, relativeTime: 0)
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [
                CHHapticEventParameter(parameterID: .hapticIntensity, value: 1),
                CHHapticEventParameter(parameterID: .hapticSharpness, value: frequency),
            ], relativeTime: 0, duration: points.last?.relativeTime ?? 0)
        let pattern = try CHHapticPattern(events: [event], parameterCurves: [curve])
        player = try engine?.makeAdvancedPlayer(with: pattern)
        try player?.start(atTime: 0)
    }

    func setGain(_ gain: Float) throws {
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl,
            controlPoints: [.init(relativeTime: 0, value: gain)], relativeTime: 0)
        try player?.scheduleParameterCurve(curve, atTime: 0)
    }
}

func curvesFromOutside() throws {
    let effects = Effects()
    try effects.start()
    try effects.play([0, 0.4, 0.5, 0.4], frequency: 0.3)
    rest(0.25)
    try effects.setGain(0.2)
    rest(0.5)
}
