// FeedbackTones: what is heard with named patterns.

import HapticPatterns

extension SystemFeedback {
    /// The tone that goes with the pattern, for a program that has installed sound; nil for a pattern
    /// that is only felt. Generators play both together.
    ///
    /// The patterns of a watch have tones, because there they are combined with an audible one; the
    /// click and the detent have none, as they are too frequent. Apple does not publish its tones:
    /// these are ours, of the same rhythm as the pattern, and rise and fall as it does.
    public var tone: CHHapticPattern? {
        let events = notes.map { note in
            CHHapticEvent(
                eventType: .audioContinuous,
                parameters: [
                    CHHapticEventParameter(parameterID: .audioVolume, value: 0.4),
                    CHHapticEventParameter(parameterID: .audioPitch, value: note.pitch),
                    CHHapticEventParameter(parameterID: .audioBrightness, value: 0.4),
                    CHHapticEventParameter(parameterID: .releaseTime, value: 0.45),
                ], relativeTime: note.time, duration: note.duration)
        }
        guard !events.isEmpty else { return nil }
        return try? CHHapticPattern(events: events, parameters: [] as [CHHapticDynamicParameter])
    }

    /// The pattern with its tone, if the program has installed sound.
    var heard: HapticPattern {
        let pattern = pattern.value
        guard InstalledSound.output != nil, let tone else { return pattern }
        return HapticPattern(
            events: pattern.events + tone.value.events, parameters: pattern.parameters,
            curves: pattern.curves)
    }

    /// A note of a tone: its start and its duration in seconds, and its pitch, -1...1.
    private typealias Note = (time: Double, duration: Double, pitch: Float)

    private var notes: [Note] {
        switch self {
        case .watchNotification: [(0, 0.06, 0.6), (0.15, 0.06, 0.6), (0.3, 0.2, 1)]
        case .watchDirectionUp: [(0, 0.06, 0.3), (0.12, 0.08, 0.7)]
        case .watchDirectionDown: [(0, 0.06, 0.7), (0.12, 0.08, 0.3)]
        case .watchSuccess: [(0, 0.05, 0.2), (0.11, 0.05, 0.5), (0.22, 0.1, 0.9)]
        case .watchFailure: [(0, 0.14, -0.2), (0.25, 0.16, -0.5)]
        case .watchRetry: [(0, 0.05, 0.1), (0.11, 0.05, 0.1), (0.22, 0.05, 0.1)]
        case .watchStart: [(0, 0.15, 0.6)]
        case .watchStop: [(0, 0.08, 0.6), (0.3, 0.08, 0)]
        default: []
        }
    }
}
