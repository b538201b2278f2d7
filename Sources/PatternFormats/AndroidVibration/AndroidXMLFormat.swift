// Android's own file of a vibration: `<vibration-effect>`.

import HapticPatterns
import JSONText

/// The format of Android's `<vibration-effect>`.
struct AndroidXMLFormat: WritablePatternFormat {
    /// The name for options and messages.
    let name = "android"
    /// The description in a few words.
    let summary = "Android <vibration-effect> XML"
    /// The ending of file names.
    let fileExtension = "xml"
    /// The relation between amplitude and intensity, unless another one is asked for.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is of this format.
    func recognizes(_ content: FormatContent) -> Bool {
        if case .markup = content { true } else { false }
    }

    /// Reads a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = AndroidXMLReader(law: law)
        let signal = try reader.read(bytes)
        return ReadPattern(HapticPattern(signal), losses: reader.losses)
    }

    /// Returns the bytes of a file.
    func write(_ pattern: HapticPattern, law: IntensityLaw) -> [UInt8] {
        Array(AndroidXMLWriter(law: law).text(of: HapticSignal(pattern)).utf8)
    }
}

/// The format of the arrays that `VibrationEffect.createWaveform` takes, as JSON.
struct AndroidArraysFormat: PatternFormat {
    /// The name for options and messages.
    let name = "android-arrays"
    /// The description in a few words.
    let summary = "timings and amplitudes for Android's createWaveform, as JSON"
    /// The ending of file names.
    let fileExtension = "json"
    /// The relation between amplitude and intensity, unless another one is asked for.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is of this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["timings"] != nil && root["amplitudes"] != nil
    }

    /// Reads a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let waveform = try AndroidWaveform(
            JSONValue.read(bytes), timings: "timings", amplitudes: "amplitudes", repeats: "repeat")
        return ReadPattern(
            HapticPattern(waveform.signal(law: law)), losses: waveform.losses)
    }
}
