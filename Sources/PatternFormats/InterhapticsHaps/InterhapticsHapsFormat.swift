// InterhapticsHapsFormat: .haps version 5, the format of Interhaptics and Razer Sensa.

import HapticCompiler
import HapticPatterns
import JSONText

/// The format `.haps`. A file contains melodies, which consist of notes. A note is either a tap, or
/// an effect whose amplitude and frequency are modulated. The gain of a note is multiplied by the
/// gains of its containers.
final class InterhapticsHapsFormat: PatternFormat {
    /// The name in options and messages.
    let name = "haps"
    /// A short description.
    let summary = ".haps v5 of Interhaptics and Razer"
    /// The file name extension.
    let fileExtension = "haps"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is in this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["m_vibration"] != nil
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = HapsReader(law: law)
        let signal = try reader.read(bytes)
        return ReadPattern(HapticPattern(signal), losses: reader.losses)
    }
}

/// Reads `.haps` files.
private struct HapsReader {
    let law: IntensityLaw
    var losses: [FormatLoss] = []
    private var signals: [HapticSignal] = []
    private var notes = 0

    private static let gains = 0.0...1_000.0

    init(law: IntensityLaw) { self.law = law }

    mutating func read(_ bytes: [UInt8]) throws(FormatError) -> HapticSignal {
        let root = try JSONValue.read(bytes)
        recordVersion(root)
        let vibration = try root.fields("m_vibration")
        for (key, word) in [("m_texture", "texture"), ("m_stiffness", "stiffness")] {
            try recordOtherPerception(root, key, word)
        }
        if try vibration.number("m_loop", in: -1...1e9, default: 0) > 0 {
            losses.append(FormatLoss(.degraded, "the vibration loops; it is played once"))
        }
        let gain =
            try root.number("m_gain", in: Self.gains, default: 1)
            * vibration.number("m_gain", in: Self.gains, default: 1)
        for value in try vibration.array("m_melodies") {
            try read(melody: JSONFields(value), gain: gain)
        }
        return HapticSignal.merged(signals[...])
    }

    /// Records a loss if the version is missing or is not 5. All known files have version 5 and
    /// contain the version as a string.
    private mutating func recordVersion(_ root: JSONFields) {
        let value = root.value("m_version")
        let message: String
        switch value?.kind {
        case .string(let text)?, .number(let text)?:
            guard Double(text) != 5 else { return }
            message = "version \(text.excerpt) is unknown; the file is read as version 5"
        case nil: message = "\"m_version\" is missing; the file is read as version 5"
        default: message = "\"m_version\" is not a version; the file is read as version 5"
        }
        losses.append(FormatLoss(.degraded, at: value?.location ?? root.location, message))
    }

    /// Records the loss of effects that are not vibrations.
    private mutating func recordOtherPerception(
        _ root: JSONFields, _ key: String, _ word: String
    ) throws(FormatError) {
        guard let fields = try root.optionalFields(key) else { return }
        for value in try fields.optionalArray("m_melodies") {
            let melody = try JSONFields(value)
            guard try !melody.optionalArray("m_notes").isEmpty else { continue }
            losses.append(
                FormatLoss(
                    .notPlayed, at: fields.location,
                    "the \(word) cannot be converted, because it depends on movement, not on time"))
            return
        }
    }

    private mutating func read(melody: JSONFields, gain: Double) throws(FormatError) {
        guard try melody.number("m_mute", in: 0...1, default: 0) == 0 else { return }
        let gain = try gain * melody.number("m_gain", in: Self.gains, default: 1)
        for value in try melody.optionalArray("m_notes") {
            notes += 1
            guard notes <= FormatLimits.points else {
                throw FormatError(
                    at: value.location, "the file has more than \(FormatLimits.points) notes",
                    advice: "split the file into several")
            }
            try read(note: JSONFields(value), gain: gain)
        }
    }

    private mutating func read(note: JSONFields, gain: Double) throws(FormatError) {
        let effect = try note.fields("m_hapticEffect")
        // Some exporters store the members of a note in the note's effect.
        let holder = note.has("m_startingPoint") || !effect.has("m_startingPoint") ? note : effect
        let start = holder.has("m_startingPoint") ? try holder.time("m_startingPoint") : 0
        let length = holder.has("m_length") ? try holder.time("m_length") : nil
        let gain = try gain * holder.number("m_gain", in: Self.gains, default: 1)
        let frequency = try keyframes(of: effect, "m_frequencyModulation", in: 0...100_000)
        // A note of type 0 is a transient of 22 ms. Older files have no types; in these files, a
        // tap is a note without modulation.
        let isTransient = try effect.number("m_type", in: 0...1e9, default: 0) == 0
        let isTap =
            isTransient
            && (!effect.has("m_amplitudeModulation") || (effect.has("m_type") && length == 22_000))
        if isTap {
            let sharpness = frequency.first.map { self.sharpness(of: $0.value) } ?? 0.5
            let amplitude = limited(gain, at: start, note)
            let tap = HapticSignal.Tap(
                time: start, intensity: law.intensity(ofAmplitude: amplitude),
                sharpness: sharpness, location: note.location)
            return signals.append(HapticSignal(taps: [tap]))
        }
        try readEffect(effect, note, start: start, length: length, gain: gain, frequency)
    }

    private mutating func readEffect(
        _ effect: JSONFields, _ note: JSONFields, start: Microseconds, length: Microseconds?,
        gain: Double, _ frequency: [Breakpoint]
    ) throws(FormatError) {
        var amplitude = try keyframes(of: effect, "m_amplitudeModulation", in: 0...1_000)
        if amplitude.isEmpty { amplitude = [Breakpoint(time: 0, value: 1)] }
        if let length, let last = amplitude.last, last.time < length {
            amplitude.append(Breakpoint(time: length, value: last.value))
        }
        var levels: [Breakpoint] = []
        for point in amplitude where point.time <= length ?? .max {
            let level = limited(point.value * gain, at: start + point.time, note)
            levels.append(
                Breakpoint(
                    time: start + point.time, value: law.intensity(ofAmplitude: level)))
        }
        let tones = frequency.map {
            Breakpoint(time: start + $0.time, value: sharpness(of: $0.value))
        }
        signals.append(HapticSignal(intensity: levels, sharpness: tones))
    }

    /// Returns the keyframes of a modulation in order of time. The players of the format also
    /// accept keyframes that are out of order, which occur in files from its vendor.
    private mutating func keyframes(
        of effect: JSONFields, _ key: String, in range: ClosedRange<Double>
    ) throws(FormatError) -> [Breakpoint] {
        guard let modulation = try effect.optionalFields(key) else { return [] }
        if !modulation.has("m_keyframes") {
            losses.append(
                FormatLoss(
                    .degraded, at: modulation.location,
                    "\"\(key)\" has no \"m_keyframes\" and is ignored"))
        }
        var points: [Breakpoint] = []
        var late: JSONFields?
        for value in try modulation.optionalArray("m_keyframes") {
            let keyframe = try JSONFields(value)
            let time = try keyframe.time("m_time")
            if late == nil, time < points.last?.time ?? 0 { late = keyframe }
            points.append(
                Breakpoint(time: time, value: try keyframe.number("m_value", in: range)))
        }
        guard let late else { return points }
        losses.append(
            FormatLoss(
                .degraded, at: late.location,
                "this keyframe is earlier than the previous keyframe; the keyframes are sorted"))
        return points.sorted { $0.time < $1.time }
    }

    /// Returns the sharpness for a frequency. Values of up to 1 are sharpnesses, and greater values
    /// are frequencies in hertz.
    private func sharpness(of frequency: Double) -> Double {
        frequency <= 1 ? frequency : SharpnessFrequency.sharpness(ofHertz: frequency)
    }

    /// Returns an amplitude limited to 1. The limit is needed because the product of the gains may
    /// exceed 1.
    private mutating func limited(
        _ amplitude: Double, at time: Microseconds, _ note: JSONFields
    ) -> Double {
        guard amplitude > 1 else { return amplitude }
        losses.append(
            FormatLoss(
                .degraded, time: time, at: note.location,
                "the gains result in an amplitude of \((amplitude * 1_000).rounded() / 1_000), "
                    + "which is limited to 1"))
        return 1
    }
}
