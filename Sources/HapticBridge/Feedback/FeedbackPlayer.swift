// FeedbackPlayer: plays named patterns for a generator, on the generator's own engine or on the
// shared engine.

import HapticPatterns

/// The connection of a generator to its engine.
struct FeedbackPlayer: Sendable {
    let engine: HapticEngine?

    func prepare() { queue.prepare() }

    func play(_ feedback: SystemFeedback, intensity: Double = 1) {
        queue.play(feedback.audible.scaled(by: intensity), isClick: feedback.isClick)
    }

    private var queue: FeedbackQueue { engine?.feedback ?? Self.shared.feedback }

    private static let shared = HapticEngine.forFeedback(on: .automatic)
}

extension HapticEngine {
    /// Creates an engine for feedback. The engine stops after two minutes without feedback.
    static func forFeedback(on device: HapticDevice) -> HapticEngine {
        let engine = HapticEngine(device: device)
        engine.isAutoShutdownEnabled = true
        return engine
    }
}

extension HapticPattern {
    /// Returns the pattern with the intensity of each event multiplied by a factor. The factor is
    /// clamped to 0...1. NaN counts as 0.
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
