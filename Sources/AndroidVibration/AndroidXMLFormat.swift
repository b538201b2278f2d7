// Android's own file of a vibration: `<vibration-effect>`.

import HapticFormats
import HapticPatterns
import JSONText

/// The format of Android's `<vibration-effect>`.
public struct AndroidXMLFormat: WritablePatternFormat {
    public let name = "android"
    public let summary = "Android <vibration-effect> XML"
    public let fileExtension = "xml"
    public let intensityLaw: IntensityLaw? = .sqrt

    /// Makes the format.
    public init() {}

    public func recognizes(_ content: FormatContent) -> Bool {
        if case .markup = content { true } else { false }
    }

    public func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = AndroidXMLReader(law: law)
        let signal = try reader.read(bytes)
        return ReadPattern(HapticPattern(signal), losses: reader.losses)
    }

    public func write(_ pattern: HapticPattern, law: IntensityLaw) -> [UInt8] {
        Array(AndroidXMLWriter(law: law).text(of: HapticSignal(pattern)).utf8)
    }
}

/// The format of the arrays that `VibrationEffect.createWaveform` takes, as JSON.
public struct AndroidArraysFormat: PatternFormat {
    public let name = "android-arrays"
    public let summary = "timings and amplitudes for Android's createWaveform, as JSON"
    public let fileExtension = "json"
    public let intensityLaw: IntensityLaw? = .sqrt

    /// Makes the format.
    public init() {}

    public func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["timings"] != nil && root["amplitudes"] != nil
    }

    public func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let waveform = try AndroidWaveform(
            JSONValue.read(bytes), timings: "timings", amplitudes: "amplitudes", repeats: "repeat")
        return ReadPattern(
            HapticPattern(waveform.signal(law: law)), losses: waveform.losses)
    }
}
