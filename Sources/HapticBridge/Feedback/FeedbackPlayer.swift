// FeedbackPlayer: plays named patterns for generators, on the engine that they were given or on the
// shared one.

import HapticPatterns

/// The connection of a generator to its engine.
struct FeedbackPlayer: Sendable {
    let engine: HapticEngine?

    func prepare() { queue.prepare() }

    func play(_ feedback: SystemFeedback, intensity: Double = 1) {
        queue.play(feedback.heard.scaled(by: intensity), isClick: feedback.isClick)
    }

    private var queue: FeedbackQueue { engine?.feedback ?? Self.shared.feedback }

    private static let shared = HapticEngine.forFeedback(on: .automatic)
}

extension HapticEngine {
    /// Makes an engine for feedback, which stops when none has been played for a while.
    static func forFeedback(on device: HapticDevice) -> HapticEngine {
        let engine = HapticEngine(device: device)
        engine.isAutoShutdownEnabled = true
        return engine
    }
}

extension HapticPattern {
    /// Returns the pattern with the intensity of each event multiplied by a factor, which is moved
    /// into 0...1; no number counts as 0.
    func scaled(by factor: Double) -> HapticPattern {
        let factor = factor > 0 ? min(factor, 1) : 0
        let events = events.map { event in
            var event = event
            event.intensity *= factor
            return event
        }
        return HapticPattern(events: events, parameters: parameters, curves: curves)
    }
}
