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
    ///
    /// - Parameter amplitudes: the key of the amplitudes; nil if the waveform contains only
    ///   timings, so that it is alternately off and on, beginning with off.
    init(
        _ fields: JSONFields, timings: String, amplitudes: String?, repeats: String
    ) throws(FormatError) {
        let durations = try fields.array(timings)
        var levels = durations.indices.map { $0.isMultiple(of: 2) ? 0 : Self.amplitudeMax }
        if let amplitudes {
            levels = try Self.levels(fields, amplitudes, for: durations.count, timings)
        }
        steps = []
        var total = 0.0
        for (duration, level) in zip(durations, levels) {
            let length = try JSONFields.number(duration, timings, in: 0...86_400_000)
            total += length
            guard total <= 86_400_000 else {
                throw FormatError(
                    at: duration.location, "the waveform is longer than a day",
                    advice: "shorten the waveform")
            }
            steps.append((Microseconds((length * 1_000).rounded()), level))
        }
        let last = Double(max(steps.count - 1, 0))
        let index = try fields.number(repeats, in: -1...last, default: -1)
        repeatIndex = index < 0 ? nil : Int(index)
    }

    private static func levels(
        _ fields: JSONFields, _ key: String, for count: Int, _ timings: String
    ) throws(FormatError) -> [Double] {
        let values = try fields.array(key)
        guard values.count == count else {
            throw FormatError(
                at: fields.value(key)?.location, "\(count) \(timings), but \(values.count) \(key)",
                advice: "write one amplitude for each timing")
        }
        var levels: [Double] = []
        for value in values {
            // -1 is Android's DEFAULT_AMPLITUDE, which is the word "default" in the XML format.
            let isDefault = value.kind == .number(text: "-1")
            levels.append(
                isDefault ? amplitudeMax : try JSONFields.number(value, key, in: 0...amplitudeMax))
        }
        return levels
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
            : [
                FormatLoss(
                    .degraded, "the waveform repeats indefinitely, but it is played only once")
            ]
    }
}
