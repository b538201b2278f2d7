// HJIFReader: converts the text of an HJIF file to a signal.

import HapticCompiler
import HapticPatterns
import JSONText

/// Reads HJIF files, and interprets their effects as MPEG's HapticReferenceSoftware does.
struct HJIFReader {
    /// The properties of a band that apply to its effects.
    private struct Band {
        var kind: String
        var gain: Double

        /// True if each keyframe is a tap.
        var isTransient: Bool { kind == "Transient" }
        /// True if the keyframes modulate an oscillation that lasts for the whole effect.
        var isWave: Bool { kind.hasPrefix("Vectorial") }
    }

    /// A keyframe with its time in the pattern.
    private struct Keyframe {
        var time: Microseconds
        var level: Double?
        var tone: Double?
        var location: SourceLocation?
    }

    let law: IntensityLaw
    private(set) var losses: [FormatLoss] = []
    private var signals: [HapticSignal] = []
    private var channels = 0
    private var effectCount = 0
    private var keyframeCount = 0
    /// The duration of a tick, in microseconds.
    private var tick = 1_000.0
    /// The effects in the library of the current perception, by their identifiers.
    private var library: [Int: JSONFields] = [:]
    /// The identifiers of the references that are being resolved.
    private var references: [Int] = []
    /// The number of effects that contain the current effect, including the effect itself.
    private var depth = 0
    /// The locations of the recorded losses.
    private var reported: Set<SourceLocation> = []

    private static let gains = 0.0...1_000.0
    /// The maximum depth of nested timelines and references.
    private static let depthMax = 32

    init(law: IntensityLaw) { self.law = law }

    mutating func read(_ bytes: [UInt8]) throws(FormatError) -> HapticSignal {
        let root = try JSONValue.read(bytes)
        tick = 1e6 / (try root.number("timescale", in: 1...1e6, default: 1_000))
        for value in try root.array("perceptions") { try read(perception: JSONFields(value)) }
        if channels > 1 {
            losses.append(
                FormatLoss(
                    .degraded, "the \(channels) channels are merged for one actuator"))
        }
        signals.sort { ($0.pieces.first?.start ?? 0) < ($1.pieces.first?.start ?? 0) }
        return HapticSignal.merged(signals[...])
    }

    private mutating func read(perception: JSONFields) throws(FormatError) {
        let modality = try perception.string("perception_modality") ?? "Vibrotactile"
        guard modality.hasPrefix("Vibro") || modality == "Vibration" || modality == "Other" else {
            record(
                .notPlayed, at: perception.location,
                "a perception with the modality \(modality.excerpt) cannot be converted")
            return
        }
        try readLibrary(of: perception)
        // In drafts of the standard, channels were called tracks.
        let key = perception.has("channels") ? "channels" : "tracks"
        for value in try perception.array(key) {
            let channel = try JSONFields(value)
            let gain = try channel.number("gain", in: Self.gains, default: 1)
            channels += 1
            for band in try channel.array("bands") { try read(band: JSONFields(band), gain: gain) }
        }
    }

    private mutating func readLibrary(of perception: JSONFields) throws(FormatError) {
        library = [:]
        for value in try perception.optionalArray("effect_library") {
            let effect = try JSONFields(value)
            let id = try Self.id(of: effect)
            guard library[id] == nil else {
                record(
                    .degraded, at: effect.location,
                    "the library has more than one effect \(id); the first one is used")
                continue
            }
            library[id] = effect
        }
    }

    private static func id(of effect: JSONFields) throws(FormatError) -> Int {
        Int(try effect.number("id", in: -2_147_483_648...2_147_483_647))
    }

    private mutating func read(band: JSONFields, gain: Double) throws(FormatError) {
        let kind = try band.string("band_type") ?? ""
        switch kind {
        case "Transient", "Curve", "VectorialWave", "Vectorial":
            try readEffects(of: band, "effects", in: Band(kind: kind, gain: gain), from: 0)
        case "WaveletWave", "Wavelet", "Wave":
            record(
                .notPlayed, at: band.location, "the waveform of a wavelet band cannot be converted")
        default:
            throw FormatError(
                at: band.value("band_type")?.location ?? band.location,
                "the band type \"\(kind.excerpt)\" is unknown",
                advice: "use Transient, Curve, VectorialWave or WaveletWave")
        }
    }

    // MARK: Effects

    /// Reads effects whose positions are relative to the given time.
    private mutating func readEffects(
        of parent: JSONFields, _ key: String, in band: Band, from origin: Microseconds
    ) throws(FormatError) {
        for value in try parent.array(key) {
            let effect = try JSONFields(value)
            let position = try effect.time("position", unit: tick)
            try read(effect: effect, in: band, at: min(origin + position, FormatLimits.latest))
        }
    }

    /// Reads an effect that starts at the given time.
    private mutating func read(
        effect: JSONFields, in band: Band, at start: Microseconds
    ) throws(FormatError) {
        effectCount += 1
        guard effectCount <= FormatLimits.points else {
            throw FormatError(
                at: effect.location,
                "the file has more than \(FormatLimits.points) effects, including those of "
                    + "references", advice: "split the file into several")
        }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            return record(
                .notPlayed, at: effect.location, time: start,
                "the effect is nested deeper than \(Self.depthMax) levels")
        }
        switch try effect.string("effect_type") ?? "Basis" {
        case "Basis": try readKeyframes(of: effect, in: band, at: start)
        case "Reference": try readReference(effect, in: band, at: start)
        case "Timeline", "Composite":
            // The reference software now calls this type Composite.
            guard effect.has("timeline") else {
                return record(
                    .notPlayed, at: effect.location, time: start,
                    "the composite effect has no \"timeline\" with its parts")
            }
            try readEffects(of: effect, "timeline", in: band, from: start)
        case let type:
            record(
                .notPlayed, at: effect.location, time: start,
                "the effect type \(type.excerpt) is unknown; the effect is not played")
        }
    }

    /// Reads the effect in the library to which a reference refers. The position of the reference
    /// replaces the position of the effect.
    private mutating func readReference(
        _ reference: JSONFields, in band: Band, at start: Microseconds
    ) throws(FormatError) {
        let id = try Self.id(of: reference)
        guard let effect = library[id] else {
            return record(
                .notPlayed, at: reference.location, time: start, "the library has no effect \(id)")
        }
        guard !references.contains(id) else {
            return record(
                .notPlayed, at: reference.location, time: start,
                "effect \(id) of the library refers to itself")
        }
        references.append(id)
        defer { references.removeLast() }
        try read(effect: effect, in: band, at: start)
    }

    // MARK: Keyframes

    private mutating func readKeyframes(
        of effect: JSONFields, in band: Band, at start: Microseconds
    ) throws(FormatError) {
        var keyframes: [Keyframe] = []
        for value in try effect.array("keyframes") {
            keyframes.append(try keyframe(value, of: band, after: start))
        }
        guard !band.isTransient else {
            let taps = keyframes.map {
                HapticSignal.Tap(
                    time: $0.time, intensity: $0.level ?? 1, sharpness: $0.tone ?? 0.5,
                    location: $0.location)
            }
            return signals.append(HapticSignal(taps: taps))
        }
        sort(&keyframes)
        var levels = keyframes.compactMap { keyframe in
            keyframe.level.map { Breakpoint(time: keyframe.time, value: $0) }
        }
        let tones = keyframes.compactMap { keyframe in
            keyframe.tone.map { Breakpoint(time: keyframe.time, value: $0) }
        }
        if band.isWave, let end = keyframes.last?.time {
            // The first level also applies before its keyframe, and the last level until the end of
            // the effect. If no keyframe has an amplitude, the amplitude is 1.
            let full = law.intensity(ofAmplitude: min(band.gain, 1))
            levels.insert(Breakpoint(time: start, value: levels.first?.value ?? full), at: 0)
            levels.append(Breakpoint(time: end, value: levels.last?.value ?? full))
        }
        signals.append(HapticSignal(intensity: levels, sharpness: tones))
    }

    private mutating func keyframe(
        _ value: JSONValue, of band: Band, after start: Microseconds
    ) throws(FormatError) -> Keyframe {
        keyframeCount += 1
        guard keyframeCount <= FormatLimits.points else {
            throw FormatError(
                at: value.location,
                "the file has more than \(FormatLimits.points) keyframes, including those of "
                    + "references", advice: "split the file into several")
        }
        let fields = try JSONFields(value)
        let relative =
            fields.has("relative_position") ? try fields.time("relative_position", unit: tick) : 0
        let time = min(start + relative, FormatLimits.latest)
        return Keyframe(
            time: time, level: try amplitude(of: fields, at: time, gain: band.gain),
            tone: try frequency(of: fields, at: time), location: fields.location)
    }

    /// Sorts keyframes that are not in order of time. The effect ends at the keyframe that is
    /// listed last, as in the reference software, and later keyframes are removed. The decoder of
    /// the reference software has written times of 65,534 instead of -2.
    private mutating func sort(_ keyframes: inout [Keyframe]) {
        let late = keyframes.indices.dropFirst().first {
            keyframes[$0].time < keyframes[$0 - 1].time
        }
        guard let late, let end = keyframes.last?.time else { return }
        record(
            .degraded, at: keyframes[late].location, time: keyframes[late].time,
            "this keyframe is earlier than the previous keyframe; the keyframes are sorted, and "
                + "the effect ends at the keyframe that is listed last")
        keyframes = keyframes.filter { $0.time <= end }.sorted { $0.time < $1.time }
    }

    /// Returns the intensity of a keyframe; nil if the keyframe has no amplitude. A negative
    /// amplitude results in the same intensity as a positive amplitude, because the sign only
    /// inverts the phase.
    private mutating func amplitude(
        of keyframe: JSONFields, at time: Microseconds, gain: Double
    ) throws(FormatError) -> Double? {
        guard let value = keyframe.value("amplitude_modulation") else { return nil }
        let amplitude = abs(try keyframe.number("amplitude_modulation", in: -1_000...1_000)) * gain
        if amplitude > 1 {
            record(
                .degraded, at: value.location, time: time,
                "an amplitude of \(amplitude) is limited to 1")
        }
        return law.intensity(ofAmplitude: min(amplitude, 1))
    }

    private mutating func frequency(
        of keyframe: JSONFields, at time: Microseconds
    ) throws(FormatError) -> Double? {
        guard let value = keyframe.value("frequency_modulation") else { return nil }
        let hertz = try keyframe.number("frequency_modulation", in: 0...100_000)
        if !SharpnessFrequency.range.contains(hertz) {
            record(
                .degraded, at: value.location, time: time,
                "\(hertz) Hz is outside 65 to 300 Hz, the range of sharpness")
        }
        return SharpnessFrequency.sharpness(ofHertz: hertz)
    }

    /// Records a loss, unless a loss has already been recorded for its location, because references
    /// repeat the effects of the library.
    private mutating func record(
        _ verdict: FormatLoss.Verdict, at location: SourceLocation?, time: Microseconds? = nil,
        _ message: String
    ) {
        if let location, !reported.insert(location).inserted { return }
        losses.append(FormatLoss(verdict, time: time, at: location, message))
    }
}
