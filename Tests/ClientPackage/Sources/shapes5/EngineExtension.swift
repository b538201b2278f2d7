// An extension of the engine that decodes patterns from a socket's messages and plays them.

import HapticBridge

private struct Message: Codable {
    struct Tap: Codable {
        let time: TimeInterval
        let intensity: Float
    }
    let id: UUID
    let sent: Date
    let taps: [Tap]
}

extension CHHapticEngine {
    fileprivate func play(_ data: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let message = try decoder.decode(Message.self, from: data)
        let events = message.taps.map { tap in
            CHHapticEvent(
                eventType: .hapticTransient,
                parameters: [
                    CHHapticEventParameter(parameterID: .hapticIntensity, value: tap.intensity)
                ], relativeTime: tap.time)
        }
        let pattern = try CHHapticPattern(events: events, parameterCurves: [])
        try start()
        try makePlayer(with: pattern).start(atTime: CHHapticTimeImmediate)
    }
}

func engineExtension() throws {
    let text = """
        {"id": "\(UUID().uuidString)", "sent": 1700000000,
        "taps": [{"time": 0, "intensity": 0.8}, {"time": 0.1, "intensity": 0.4}]}
        """
    let engine = try CHHapticEngine()
    try engine.play(Data(text.utf8))
    rest(0.4)
}
