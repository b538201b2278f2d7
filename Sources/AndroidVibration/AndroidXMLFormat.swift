// Android's own file of a vibration: `<vibration-effect>`.

import HapticFormats
import HapticPatterns
import JSONText

/// The format of Android's `<vibration-effect>`.
public struct AndroidXMLFormat: WritablePatternFormat {
    /// The name for options and messages.
    public let name = "android"
    /// The description in a few words.
    public let summary = "Android <vibration-effect> XML"
    /// The ending of file names.
    public let fileExtension = "xml"
    /// The relation between amplitude and intensity, unless another one is asked for.
    public let intensityLaw: IntensityLaw? = .sqrt

    /// Makes the format.
    public init() {}

    /// Returns whether a file is of this format.
    public func recognizes(_ content: FormatContent) -> Bool {
        if case .markup = content { true } else { false }
    }

    /// Reads a file.
    public func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = AndroidXMLReader(law: law)
        let signal = try reader.read(bytes)
        return ReadPattern(HapticPattern(signal), losses: reader.losses)
    }

    /// Returns the bytes of a file.
    public func write(_ pattern: HapticPattern, law: IntensityLaw) -> [UInt8] {
        Array(AndroidXMLWriter(law: law).text(of: HapticSignal(pattern)).utf8)
    }
}

/// The format of the arrays that `VibrationEffect.createWaveform` takes, as JSON.
public struct AndroidArraysFormat: PatternFormat {
    /// The name for options and messages.
    public let name = "android-arrays"
    /// The description in a few words.
    public let summary = "timings and amplitudes for Android's createWaveform, as JSON"
    /// The ending of file names.
    public let fileExtension = "json"
    /// The relation between amplitude and intensity, unless another one is asked for.
    public let intensityLaw: IntensityLaw? = .sqrt

    /// Makes the format.
    public init() {}

    /// Returns whether a file is of this format.
    public func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["timings"] != nil && root["amplitudes"] != nil
    }

    /// Reads a file.
    public func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let waveform = try AndroidWaveform(
            JSONValue.read(bytes), timings: "timings", amplitudes: "amplitudes", repeats: "repeat")
        return ReadPattern(
            HapticPattern(waveform.signal(law: law)), losses: waveform.losses)
    }
}
