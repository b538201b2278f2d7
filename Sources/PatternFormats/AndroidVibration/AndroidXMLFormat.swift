// Android's file formats for vibrations: `<vibration-effect>`, and arrays as JSON.

import HapticPatterns
import JSONText

/// The XML format of Android's `<vibration-effect>`.
final class AndroidXMLFormat: WritablePatternFormat {
    /// The name in options and messages.
    let name = "android"
    /// A short description.
    let summary = "Android <vibration-effect> XML"
    /// The file name extension.
    let fileExtension = "xml"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is in this format.
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

/// The JSON format of the arrays that are passed to `VibrationEffect.createWaveform`, or to
/// `Vibration.vibrate` of the package `vibration` for Flutter.
final class AndroidArraysFormat: PatternFormat {
    /// The name in options and messages.
    let name = "android-arrays"
    /// A short description.
    let summary = "timings and amplitudes for Android's createWaveform, as JSON"
    /// The file name extension.
    let fileExtension = "json"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is in this format. An array that is not in an object is also
    /// recognized, so that the error can give the reason for its rejection.
    func recognizes(_ content: FormatContent) -> Bool {
        switch content {
        case .json(let root): root["timings"] != nil || root["pattern"]?.isListOfNumbers == true
        case .numbers: true
        case .markup, .bytes: false
        }
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let root = try JSONValue.root(of: bytes)
        if root.isListOfNumbers {
            throw FormatError(
                at: root.location,
                "an array alone does not state whether its first number is a pause, as in "
                    + "Android's createWaveform, or a vibration, as in navigator.vibrate",
                advice: "write {\"timings\": [...]}, with a pause first, which may be 0")
        }
        let fields = try JSONFields(root)
        let (timings, amplitudes) =
            fields.has("timings") ? ("timings", "amplitudes") : ("pattern", "intensities")
        let waveform = try AndroidWaveform(
            fields, timings: timings, amplitudes: fields.has(amplitudes) ? amplitudes : nil,
            repeats: "repeat")
        return ReadPattern(
            HapticPattern(waveform.signal(law: law)),
            losses: waveform.losses + Self.losses(of: root, except: [timings, amplitudes]))
    }

    /// Returns the losses of arrays with unknown names, which are probably misspelled.
    private static func losses(of root: JSONValue, except known: [String]) -> [FormatLoss] {
        guard case .object(let object) = root.kind else { return [] }
        return object.members.filter { $0.value.isListOfNumbers && !known.contains($0.key) }.map {
            FormatLoss(
                .degraded, at: $0.keyLocation, "the array \"\($0.key.excerpt)\" is not read")
        }
    }
}
