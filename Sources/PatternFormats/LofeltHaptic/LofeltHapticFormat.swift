// LofeltHapticFormat: .haptic 1.x, the format of Lofelt Studio and Meta Haptics Studio, which FMOD,
// Wwise and Feel also play.

import HapticPatterns
import JSONText

/// The format `.haptic`, version 1.
///
/// A file contains an amplitude envelope, whose breakpoints may have an emphasis, and a frequency
/// envelope. Frequencies are 0...1, like sharpness.
final class LofeltHapticFormat: WritablePatternFormat {
    /// The name in options and messages.
    let name = "haptic"
    /// A short description.
    let summary = ".haptic 1.x of Lofelt and Meta"
    /// The file name extension.
    let fileExtension = "haptic"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = .sqrt

    /// Returns whether a file is in this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["signals"] != nil
            || (root["version"]?.kind.isObject == true && root["Pattern"] == nil)
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = LofeltHapticReader(law: law)
        return try reader.read(bytes)
    }

    /// Encodes a pattern as the bytes of a file.
    func write(_ pattern: HapticPattern, law: IntensityLaw) -> [UInt8] {
        Array(JSONWriter.text(of: LofeltHapticWriter(law: law).json(of: pattern)).utf8)
    }
}

extension JSONValue.Kind {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}
