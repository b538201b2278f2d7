// Clips in a proprietary format. The program decodes the clips and plays them with advanced players
// of successive engines.

import HapticBridge

private struct Clip: Decodable {
    struct Point: Decodable {
        let time: TimeInterval
        let amplitude: Float
    }
    let envelope: [Point]
}

private class ClipPlayer {
    private var engine: CHHapticEngine?
    private var player: CHHapticAdvancedPatternPlayer?
    private(set) var isPlaying = false

    init() {
        engine = try? CHHapticEngine()
        engine?.isAutoShutdownEnabled = false
        try? engine?.start()
    }

    func load(_ data: Data) throws {
        let clip = try JSONDecoder().decode(Clip.self, from: data)
        let points = clip.envelope.map {
            CHHapticParameterCurve.ControlPoint(relativeTime: $0.time, value: $0.amplitude)
        }
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl, controlPoints: points, relativeTime: 0.0)
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 1.0)],
            relativeTime: 0.0, duration: clip.envelope.last!.time)
        let pattern = try CHHapticPattern(events: [event], parameterCurves: [curve])
        player = try engine?.makeAdvancedPlayer(with: pattern)
        player?.completionHandler = { [weak self] _ in self?.isPlaying = false }
    }

    func play() {
        isPlaying = true
        try? player?.start(atTime: CHHapticTimeImmediate)
    }
}

func clipPlayer() throws {
    for amplitude in [0.6, 0.2] {
        let player = ClipPlayer()
        let clip = """
            {"envelope": [{"time": 0, "amplitude": \(amplitude)},
            {"time": 0.1, "amplitude": \(amplitude)}]}
            """
        try player.load(Data(clip.utf8))
        player.play()
        rest(0.3)
        if player.isPlaying { print("it plays for too long") }
    }
}
