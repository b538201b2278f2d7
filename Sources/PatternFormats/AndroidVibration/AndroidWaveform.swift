// AndroidWaveform: a series of steps with durations and amplitudes, as in
// `VibrationEffect.createWaveform`.

import HapticPatterns
import JSONText

/// A waveform of steps, with durations in milliseconds and amplitudes 0...255.
struct AndroidWaveform: Sendable {
    /// The durations and amplitudes of the steps.
    var steps: [(duration: Microseconds, amplitude: Double)]
    /// The index of the step from which the waveform repeats; nil if the waveform is played only
    /// once.
    var repeatIndex: Int?

    /// The maximum amplitude.
    static let amplitudeMax = 255.0

    /// Reads the arrays of a waveform.
    init(
        _ fields: JSONFields, timings: String, amplitudes: String, repeats: String
    ) throws(FormatError) {
        let durations = try fields.array(timings)
        let levels = try fields.array(amplitudes)
        guard durations.count == levels.count else {
            throw FormatError(
                at: fields.value(amplitudes)?.location,
                "\(durations.count) \(timings) but \(levels.count) \(amplitudes)",
                advice: "give each timing an amplitude")
        }
        steps = []
        var total = 0.0
        for (duration, level) in zip(durations, levels) {
            let length = try JSONFields.number(duration, timings, in: 0...86_400_000)
            total += length
            guard total <= 86_400_000 else {
                throw FormatError(
                    at: duration.location, "the waveform is longer than a day",
                    advice: "shorten it")
            }
            steps.append(
                (
                    Microseconds((length * 1_000).rounded()),
                    try JSONFields.number(level, amplitudes, in: 0...Self.amplitudeMax)
                ))
        }
        let last = Double(max(steps.count - 1, 0))
        let index = try fields.number(repeats, in: -1...last, default: -1)
        repeatIndex = index < 0 ? nil : Int(index)
    }

    /// Creates a waveform.
    init(
        steps: [(duration: Microseconds, amplitude: Double)], repeatIndex: Int? = nil
    ) {
        self.steps = steps
        self.repeatIndex = repeatIndex
    }

    /// Returns the signal of the waveform, starting at the given time and played once.
    func signal(from start: Microseconds = 0, law: IntensityLaw) -> HapticSignal {
        var time = start
        var pieces: [HapticSignal.Piece] = []
        for step in steps {
            let end = time + step.duration
            let level = law.intensity(ofAmplitude: step.amplitude / Self.amplitudeMax)
            if level > 0 {
                pieces.append(
                    HapticSignal.Piece(
                        from: time, to: end, intensity: (level, level), sharpness: (0.5, 0.5)))
            }
            time = end
        }
        return HapticSignal(pieces: pieces)
    }

    /// The loss that is reported if the waveform repeats, because a pattern is played only once.
    var losses: [FormatLoss] {
        repeatIndex == nil
            ? []
            : [FormatLoss(.degraded, "the waveform repeats indefinitely; it is played once")]
    }
}
