// HJIFReader: converts the text of an HJIF file to a signal.

import HapticPatterns
import JSONText

/// Reads HJIF files.
struct HJIFReader {
    let law: IntensityLaw
    private(set) var losses: [FormatLoss] = []
    private var signals: [HapticSignal] = []
    private var channels = 0
    private var keyframes = 0
    /// The duration of a tick, in microseconds.
    private var tick = 1_000.0

    private static let gains = 0.0...1_000.0

    init(law: IntensityLaw) { self.law = law }

    mutating func read(_ bytes: [UInt8]) throws(FormatError) -> HapticSignal {
        let root = try JSONValue.read(bytes)
        tick = 1e6 / (try root.number("timescale", in: 1...1e6, default: 1_000))
        for value in try root.array("perceptions") { try read(perception: JSONFields(value)) }
        if channels > 1 {
            losses.append(
                FormatLoss(
                    .degraded, "\(channels) channels are played together on one actuator"))
        }
        signals.sort { ($0.pieces.first?.start ?? 0) < ($1.pieces.first?.start ?? 0) }
        return HapticSignal.merged(signals[...])
    }

    private mutating func read(perception: JSONFields) throws(FormatError) {
        let modality = try perception.string("perception_modality") ?? "Vibrotactile"
        guard modality.hasPrefix("Vibro") || modality == "Vibration" || modality == "Other" else {
            losses.append(
                FormatLoss(
                    .notPlayed, location: perception.location,
                    "a perception of \(modality.excerpt) cannot be converted"))
            return
        }
        // In drafts of the standard, channels were called tracks.
        let key = perception.has("channels") ? "channels" : "tracks"
        for value in try perception.array(key) {
            let channel = try JSONFields(value)
            let gain = try channel.number("gain", in: Self.gains, default: 1)
            channels += 1
            for band in try channel.array("bands") { try read(band: JSONFields(band), gain: gain) }
        }
    }

    private mutating func read(band: JSONFields, gain: Double) throws(FormatError) {
        let kind = try band.string("band_type") ?? ""
        switch kind {
        case "Transient", "Curve", "VectorialWave", "Vectorial":
            for value in try band.array("effects") {
                try read(effect: JSONFields(value), isTap: kind == "Transient", gain: gain)
            }
        case "WaveletWave", "Wavelet", "Wave":
            losses.append(
                FormatLoss(
                    .notPlayed, location: band.location,
                    "the waveform of a wavelet band cannot be converted"))
        default:
            throw FormatError(
                at: band.value("band_type")?.location ?? band.location,
                "the band type \"\(kind.excerpt)\" is not known",
                advice: "use Transient, Curve, VectorialWave or WaveletWave")
        }
    }

    private mutating func read(
        effect: JSONFields, isTap: Bool, gain: Double
    ) throws(FormatError) {
        if let type = try effect.string("effect_type"), type != "Basis" {
            losses.append(
                FormatLoss(
                    .notPlayed, location: effect.location,
                    "an effect of type \(type.excerpt) is not played"))
            return
        }
        let start = try effect.time("position", unit: tick)
        var levels: [Breakpoint] = []
        var tones: [Breakpoint] = []
        var taps: [HapticSignal.Tap] = []
        var last = start
        for value in try effect.array("keyframes") {
            let keyframe = try self.keyframe(value)
            let relative =
                keyframe.has("relative_position")
                ? try keyframe.time("relative_position", unit: tick) : 0
            let time = min(start + relative, FormatLimits.latest)
            guard isTap || time >= last else {
                throw FormatError(
                    at: keyframe.location, "a keyframe is earlier than the previous keyframe",
                    advice: "write keyframes in order of time")
            }
            last = time
            let level = try amplitude(of: keyframe, at: time, gain: gain)
            let tone = try frequency(of: keyframe, at: time)
            if isTap {
                taps.append(
                    .init(
                        time: time, intensity: level ?? 1, sharpness: tone ?? 0.5,
                        location: keyframe.location))
            } else {
                if let level { levels.append(Breakpoint(time: time, value: level)) }
                if let tone { tones.append(Breakpoint(time: time, value: tone)) }
            }
        }
        signals.append(HapticSignal(intensity: levels, sharpness: tones, taps: taps))
    }

    private mutating func keyframe(_ value: JSONValue) throws(FormatError) -> JSONFields {
        keyframes += 1
        guard keyframes <= FormatLimits.points else {
            throw FormatError(
                at: value.location, "the file has more than \(FormatLimits.points) keyframes",
                advice: "split the file into several")
        }
        return try JSONFields(value)
    }

    /// Returns the intensity of a keyframe; nil if the keyframe has no amplitude. A negative
    /// amplitude has the same intensity as a positive one, because it only inverts the phase.
    private mutating func amplitude(
        of keyframe: JSONFields, at time: Microseconds, gain: Double
    ) throws(FormatError) -> Double? {
        guard keyframe.has("amplitude_modulation") else { return nil }
        let amplitude = abs(try keyframe.number("amplitude_modulation", in: -1_000...1_000)) * gain
        if amplitude > 1 {
            losses.append(
                FormatLoss(
                    .degraded, time: time, location: keyframe.location,
                    "an amplitude of \(amplitude) is limited to 1"))
        }
        return law.intensity(ofAmplitude: min(amplitude, 1))
    }

    private mutating func frequency(
        of keyframe: JSONFields, at time: Microseconds
    ) throws(FormatError) -> Double? {
        guard keyframe.has("frequency_modulation") else { return nil }
        let hertz = try keyframe.number("frequency_modulation", in: 0...100_000)
        if !SharpnessFrequency.range.contains(hertz) {
            losses.append(
                FormatLoss(
                    .degraded, time: time, location: keyframe.location,
                    "\(hertz) Hz is outside 65 to 300 Hz, the range of sharpness"))
        }
        return SharpnessFrequency.sharpness(ofHertz: hertz)
    }
}
