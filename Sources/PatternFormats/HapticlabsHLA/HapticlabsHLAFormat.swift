// HapticlabsHLAFormat: .hla, the format of Hapticlabs Studio for Android.

import HapticCompiler
import HapticPatterns
import JSONText

/// The format `.hla`: version 2, and the previous version, which has only timings and amplitudes.
final class HapticlabsHLAFormat: PatternFormat {
    /// The name in options and messages.
    let name = "hla"
    /// A short description.
    let summary = ".hla of Hapticlabs"
    /// The file name extension.
    let fileExtension = "hla"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is in this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["pwleSignal"] != nil || (root["Timings"] != nil && root["Amplitudes"] != nil)
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let root = try JSONValue.read(bytes)
        var reader = HLAReader(law: law)
        let signal = root.has("pwleSignal") ? try reader.version2(root) : try reader.version1(root)
        return ReadPattern(HapticPattern(signal), losses: reader.losses)
    }
}

/// Reads `.hla` files. Their times are in milliseconds.
private struct HLAReader {
    let law: IntensityLaw
    var losses: [FormatLoss] = []

    private static let millisecond = 1_000.0

    init(law: IntensityLaw) { self.law = law }

    mutating func version1(_ root: JSONFields) throws(FormatError) -> HapticSignal {
        let waveform = try AndroidWaveform(
            root, timings: "Timings", amplitudes: "Amplitudes", repeats: "Repeat")
        try recordSounds(root, "Audios", "Filename")
        losses += waveform.losses
        return waveform.signal(law: law)
    }

    mutating func version2(_ root: JSONFields) throws(FormatError) -> HapticSignal {
        let version = try root.number("version", in: 0...1e9)
        guard version == 2 else {
            throw FormatError(
                at: root.value("version")?.location,
                "version \(Int(version)) is not supported; the only supported version is 2",
                advice: "export the file as version 2")
        }
        let signal = try root.fields("pwleSignal")
        try recordSounds(signal, "audios", "filename")
        for value in try signal.optionalArray("oggs") {
            losses.append(
                FormatLoss(
                    .notPlayed, at: value.location,
                    "the haptics in a sound file (\"oggs\") are not played"))
        }
        var parts: [HapticSignal] = []
        for value in try signal.optionalArray("primitives") {
            parts.append(try primitive(JSONFields(value)))
        }
        for value in try signal.optionalArray("amplitudes") {
            let fields = try JSONFields(value)
            let waveform = try AndroidWaveform(
                fields, timings: "timings", amplitudes: "amplitudes", repeats: "repeat")
            losses += waveform.losses
            parts.append(waveform.signal(from: try offset(fields), law: law))
        }
        for value in try signal.optionalArray("envelopes") {
            parts.append(try envelope(JSONFields(value)))
        }
        for value in try signal.optionalArray("basicEnvelopes") {
            parts.append(try basicEnvelope(JSONFields(value)))
        }
        parts.sort { ($0.pieces.first?.start ?? 0) < ($1.pieces.first?.start ?? 0) }
        return HapticSignal.merged(parts[...])
    }

    private func offset(_ fields: JSONFields) throws(FormatError) -> Microseconds {
        try fields.time("startOffset", unit: Self.millisecond)
    }

    private mutating func recordSounds(
        _ fields: JSONFields, _ key: String, _ nameKey: String
    ) throws(FormatError) {
        for value in try fields.optionalArray(key) {
            let name = try JSONFields(value).string(nameKey) ?? "a sound"
            losses.append(
                FormatLoss(.notPlayed, at: value.location, "\(name.excerpt) is not played"))
        }
    }

    private mutating func primitive(_ fields: JSONFields) throws(FormatError) -> HapticSignal {
        let name = try fields.string("name") ?? ""
        // Hapticlabs writes the names in camel case; Android uses underscores.
        let spelled = name.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
        }
        let start = try offset(fields)
        guard
            let signal = AndroidPrimitive.signal(
                named: spelled, from: start, scale: try fields.number("scale", in: 0...1))
        else {
            throw FormatError(
                at: fields.value("name")?.location ?? fields.location,
                "the primitive \"\(name.excerpt)\" is unknown",
                advice: "use click, tick, lowTick, thud, spin, quickRise, slowRise or quickFall")
        }
        losses.append(
            FormatLoss(
                .degraded, time: start, at: fields.location,
                "a primitive feels different on each device; it is approximated"))
        return signal
    }

    /// Reads the points of an envelope, and converts their times so that they are relative to the
    /// start of the pattern.
    private func points(
        _ fields: JSONFields, _ read: (JSONFields, Microseconds) throws(FormatError) -> Void
    ) throws(FormatError) {
        let start = try offset(fields)
        var last = start
        for value in try fields.array("points") {
            let point = try JSONFields(value)
            let time = min(
                start + (try point.time("time", unit: Self.millisecond)), FormatLimits.latest)
            guard time >= last else {
                throw FormatError(
                    at: point.location, "a point is earlier than the previous point",
                    advice: "write points in order of time")
            }
            try read(point, time)
            last = time
        }
    }

    private func envelope(_ fields: JSONFields) throws(FormatError) -> HapticSignal {
        let start = try offset(fields)
        var levels = [Breakpoint(time: start, value: 0)]
        let hertz = try fields.number("initialFrequency", in: 0...100_000)
        var tones = [
            Breakpoint(time: start, value: SharpnessFrequency.sharpness(ofHertz: hertz))
        ]
        try points(fields) { (point, time) throws(FormatError) in
            let amplitude = try point.number("amplitude", in: 0...1)
            let hertz = try point.number("frequency", in: 0...100_000)
            levels.append(Breakpoint(time: time, value: law.intensity(ofAmplitude: amplitude)))
            tones.append(
                Breakpoint(time: time, value: SharpnessFrequency.sharpness(ofHertz: hertz)))
        }
        return HapticSignal(intensity: levels, sharpness: tones)
    }

    private func basicEnvelope(_ fields: JSONFields) throws(FormatError) -> HapticSignal {
        let start = try offset(fields)
        var levels = [Breakpoint(time: start, value: 0)]
        var tones = [
            Breakpoint(time: start, value: try fields.number("initialSharpness", in: 0...1))
        ]
        try points(fields) { (point, time) throws(FormatError) in
            levels.append(Breakpoint(time: time, value: try point.number("intensity", in: 0...1)))
            tones.append(Breakpoint(time: time, value: try point.number("sharpness", in: 0...1)))
        }
        return HapticSignal(intensity: levels, sharpness: tones)
    }
}
