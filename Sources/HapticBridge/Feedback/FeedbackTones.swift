// FeedbackTones: the tones that accompany named patterns.

import HapticPatterns

extension SystemFeedback {
    /// The tone that accompanies the pattern in a program that has called `HapticSound.install()`;
    /// nil for a pattern without a tone. Generators play the pattern and its tone together.
    ///
    /// The patterns of a watch have tones, because a watch combines its haptics with a sound. The
    /// click and the detent have no tones, because they are too frequent. Apple does not publish
    /// its tones, so this project defines its own. One note begins with each event of the pattern.
    public var tone: CHHapticPattern? {
        let events = zip(pattern.value.events, notes).map { event, note in
            CHHapticEvent(
                eventType: .audioContinuous,
                parameters: [
                    CHHapticEventParameter(parameterID: .audioVolume, value: 0.4),
                    CHHapticEventParameter(parameterID: .audioPitch, value: note.pitch),
                    CHHapticEventParameter(parameterID: .audioBrightness, value: 0.4),
                    CHHapticEventParameter(parameterID: .releaseTime, value: 0.45),
                ], relativeTime: TimeInterval(event.time) / 1_000_000,
                duration: note.duration)
        }
        guard !events.isEmpty else { return nil }
        return try? CHHapticPattern(events: events, parameters: [] as [CHHapticDynamicParameter])
    }

    /// The pattern with its tone, if the program has called `HapticSound.install()`.
    var audible: HapticPattern {
        let pattern = pattern.value
        guard InstalledSound.output != nil, let tone else { return pattern }
        return HapticPattern(
            events: pattern.events + tone.value.events, parameters: pattern.parameters,
            curves: pattern.curves)
    }

    /// A note of a tone: its duration in seconds, and its pitch, -1...1.
    private typealias Note = (duration: Double, pitch: Float)

    /// The notes of the tone, one for each event of the pattern; empty for a pattern without a
    /// tone.
    private var notes: [Note] {
        switch self {
        case .watchNotification: [(0.06, 0.6), (0.06, 0.6), (0.2, 1)]
        case .watchDirectionUp: [(0.06, 0.3), (0.08, 0.7)]
        case .watchDirectionDown: [(0.06, 0.7), (0.08, 0.3)]
        case .watchSuccess: [(0.05, 0.2), (0.05, 0.5), (0.1, 0.9)]
        case .watchFailure: [(0.14, -0.2), (0.16, -0.5)]
        case .watchRetry: [(0.05, 0.1), (0.05, 0.1), (0.05, 0.1)]
        case .watchStart: [(0.15, 0.6)]
        case .watchStop: [(0.08, 0.6), (0.08, 0)]
        default: []
        }
    }
}
