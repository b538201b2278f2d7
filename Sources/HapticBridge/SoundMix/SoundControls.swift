// SoundControls: the dynamic parameters of audio events over the time of their pattern.

import HapticPatterns

/// The values of the dynamic parameters for sounds, at any time of a pattern.
struct SoundControls: Sendable, Equatable {
    private let timelines: [DynamicParameterID: ControlTimeline]

    init(parameters: [HapticDynamicParameter], curves: [HapticParameterCurve]) {
        let ids = Set(parameters.map(\.id) + curves.map(\.id)).filter { !$0.isHaptic }
        timelines = Dictionary(
            uniqueKeysWithValues: ids.map {
                ($0, ControlTimeline($0, parameters: parameters, curves: curves))
            })
    }

    /// Returns a parameter of an event as it is at a time of the pattern.
    func value(
        _ parameter: Double, _ id: DynamicParameterID, at time: Double
    ) -> Double {
        guard let timeline = timelines[id] else { return parameter }
        return id.combine(parameter, with: timeline.value(at: time))
    }

    /// Returns the distance, in seconds of the source, that a sound covers from its start to a later
    /// time of the pattern.
    func distance(of pitch: Double, from start: Microseconds, to end: Double) -> Double {
        guard timelines[.audioPitchControl] != nil else {
            return (end - Double(start)) / 1_000_000 * SoundVoice.factor(ofPitch: pitch)
        }
        var distance = 0.0
        var time = Double(start)
        while time < end {
            let next = min(time + Self.step, end)
            let pitch = value(pitch, .audioPitchControl, at: (time + next) / 2)
            distance += (next - time) / 1_000_000 * SoundVoice.factor(ofPitch: pitch)
            time = next
        }
        return distance
    }

    /// The time for which the pitch is taken to be constant where a place in a sound is computed, in
    /// microseconds.
    private static let step = 10_000.0
}

extension ControlTimeline {
    fileprivate func value(at time: Double) -> Double {
        value(at: Microseconds(min(max(time, 0), Double(Microseconds.max / 2))))
    }
}
