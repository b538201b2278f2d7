// FeedbackTones: what is heard with named patterns.

import HapticPatterns

extension SystemFeedback {
    /// The tone that goes with the pattern, for a program that has installed sound; nil for a pattern
    /// that is only felt. Generators play both together.
    ///
    /// The patterns of a watch have tones, because there they are combined with an audible one; the
    /// click and the detent have none, as they are too frequent. Apple does not publish its tones:
    /// in these, a note begins with each event that is felt.
    public var tone: CHHapticPattern? {
        let pitches = pitches
        guard !pitches.isEmpty else { return nil }
        let events = zip(pattern.value.events, pitches).map { felt, pitch in
            CHHapticEvent(
                eventType: .audioContinuous,
                parameters: [
                    CHHapticEventParameter(parameterID: .audioVolume, value: 0.4),
                    CHHapticEventParameter(parameterID: .audioPitch, value: pitch),
                    CHHapticEventParameter(parameterID: .audioBrightness, value: 0.4),
                    CHHapticEventParameter(parameterID: .releaseTime, value: 0.45),
                ], relativeTime: Double(felt.time) / 1_000_000,
                duration: felt.length.map { Double($0) / 1_000_000 } ?? Self.noteOfTap)
        }
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

    /// The duration of a note that begins with a tap, in seconds.
    private static let noteOfTap = 0.06

    /// The pitches of the notes, -1...1, one for each event of the pattern.
    private var pitches: [Float] {
        switch self {
        case .watchNotification: [0.6, 0.6, 1]
        case .watchDirectionUp: [0.3, 0.7]
        case .watchDirectionDown: [0.7, 0.3]
        case .watchSuccess: [0.2, 0.5, 0.9]
        case .watchFailure: [-0.2, -0.5]
        case .watchRetry: [0.1, 0.1, 0.1]
        case .watchStart: [0.6]
        case .watchStop: [0.6, 0]
        default: []
        }
    }
}
