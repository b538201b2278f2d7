// Taps in a notation of characters, which the program plays from a queue.

import HapticBridge

private enum Tap: Character {
    case heavy = "O"
    case light = "o"

    var intensity: Float { self == .heavy ? 1 : 0.4 }
}

private struct Notation {
    let pattern: String
    let delay: TimeInterval

    var events: [CHHapticEvent] {
        var time: TimeInterval = 0
        return pattern.compactMap { character in
            defer { time += delay }
            guard let tap = Tap(rawValue: character) else { return nil }
            let parameter = CHHapticEventParameter(
                parameterID: .hapticIntensity, value: tap.intensity)
            return CHHapticEvent(
                eventType: .hapticTransient, parameters: [parameter], relativeTime: time)
        }
    }
}

func notation() throws {
    let engine = try CHHapticEngine()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.addOperation {
        try? engine.start()
        let events = Notation(pattern: "O-o-O", delay: 0.1).events
        if let pattern = try? CHHapticPattern(events: events, parameters: []) {
            try? engine.makePlayer(with: pattern).start(atTime: 0)
        }
        Thread.sleep(forTimeInterval: 0.6)
    }
    queue.waitUntilAllOperationsAreFinished()
}
