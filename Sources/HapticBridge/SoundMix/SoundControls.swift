// SoundControls: the dynamic parameters of audio events over time.

import HapticPatterns

/// The values that the dynamic parameters of audio events have over the time of a pattern.
struct SoundControls: Sendable, Equatable {
    private let timelines: [DynamicParameterID: ControlTimeline]

    /// Creates the controls from parameters and curves in ascending order of their starts.
    init(_ controls: [ControlCurve]) {
        let ids = Set(controls.map(\.id)).filter { !$0.isHaptic }
        timelines = Dictionary(
            uniqueKeysWithValues: ids.map { ($0, ControlTimeline($0, of: controls)) })
    }

    /// Returns a parameter of an event combined with its control at a time of the pattern.
    func value(
        _ parameter: Double, _ id: DynamicParameterID, at time: Double
    ) -> Double {
        guard let timeline = timelines[id] else { return parameter }
        return id.combine(parameter, with: timeline.value(at: time))
    }

    /// Returns how much of its source a sound plays from its start to a later time of the pattern,
    /// in seconds.
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

    /// The integration step of ``distance(of:from:to:)``, in microseconds. The pitch is considered
    /// constant during a step.
    private static let step = 10_000.0
}

extension ControlTimeline {
    fileprivate func value(at time: Double) -> Double {
        value(at: Microseconds(min(max(time, 0), Double(Microseconds.max / 2))))
    }
}
