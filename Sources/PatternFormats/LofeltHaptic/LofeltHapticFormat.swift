// .haptic 1.x, the format of Lofelt Studio and Meta Haptics Studio, which FMOD, Wwise and Feel play too.

import HapticPatterns
import JSONText

/// The format `.haptic`, version 1.
///
/// A file has an envelope of the amplitude, whose breakpoints may carry an emphasis, and one of the
/// frequency. Frequencies are 0...1, as sharpness is.
struct LofeltHapticFormat: WritablePatternFormat {
    /// The name for options and messages.
    let name = "haptic"
    /// The description in a few words.
    let summary = ".haptic 1.x of Lofelt and Meta"
    /// The ending of file names.
    let fileExtension = "haptic"
    /// The relation between amplitude and intensity, unless another one is asked for.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is of this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["signals"] != nil
            || (root["version"]?.kind.isObject == true && root["Pattern"] == nil)
    }

    /// Reads a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = LofeltHapticReader(law: law)
        return try reader.read(bytes)
    }

    /// Returns the bytes of a file.
    func write(_ pattern: HapticPattern, law: IntensityLaw) -> [UInt8] {
        Array(JSONWriter.text(of: LofeltHapticWriter(law: law).json(of: pattern)).utf8)
    }
}

extension JSONValue.Kind {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}
