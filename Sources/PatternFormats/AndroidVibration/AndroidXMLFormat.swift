// Android's file formats for vibrations: `<vibration-effect>`, and arrays as JSON.

import HapticPatterns
import JSONText

/// The XML format of Android's `<vibration-effect>`.
struct AndroidXMLFormat: WritablePatternFormat {
    /// The name in options and messages.
    let name = "android"
    /// A short description.
    let summary = "Android <vibration-effect> XML"
    /// The extension of file names.
    let fileExtension = "xml"
    /// The relation between amplitude and intensity, unless the caller specifies another.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is of this format.
    func recognizes(_ content: FormatContent) -> Bool {
        if case .markup = content { true } else { false }
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = AndroidXMLReader(law: law)
        let signal = try reader.read(bytes)
        return ReadPattern(HapticPattern(signal), losses: reader.losses)
    }

    /// Encodes a pattern as the bytes of a file.
    func write(_ pattern: HapticPattern, law: IntensityLaw) -> [UInt8] {
        Array(AndroidXMLWriter(law: law).text(of: HapticSignal(pattern)).utf8)
    }
}

/// The JSON format of the arrays that are passed to `VibrationEffect.createWaveform`.
struct AndroidArraysFormat: PatternFormat {
    /// The name in options and messages.
    let name = "android-arrays"
    /// A short description.
    let summary = "timings and amplitudes for Android's createWaveform, as JSON"
    /// The extension of file names.
    let fileExtension = "json"
    /// The relation between amplitude and intensity, unless the caller specifies another.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is of this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["timings"] != nil && root["amplitudes"] != nil
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let waveform = try AndroidWaveform(
            JSONValue.read(bytes), timings: "timings", amplitudes: "amplitudes", repeats: "repeat")
        return ReadPattern(
            HapticPattern(waveform.signal(law: law)), losses: waveform.losses)
    }
}
