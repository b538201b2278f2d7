// HJIF, the interchange format of MPEG-I Haptic Coding (ISO/IEC 23090-31; media type haptics/hjif).

import HapticPatterns
import JSONText

/// The format HJIF. A file contains perceptions, which consist of channels. Channels consist of
/// bands, bands consist of effects, and effects consist of keyframes.
final class HJIFFormat: WritablePatternFormat {
    /// The name in options and messages.
    let name = "hjif"
    /// A short description.
    let summary = "HJIF of ISO/IEC 23090-31"
    /// The file name extension.
    let fileExtension = "hjif"
    /// The relation between amplitude and intensity that the encoder of the reference software uses
    /// for AHAP files.
    let intensityLaw: IntensityLaw? = .linear

    /// Returns whether a file is in this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["perceptions"] != nil
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = HJIFReader(law: law)
        let signal = try reader.read(bytes)
        return ReadPattern(HapticPattern(signal), losses: reader.losses)
    }

    /// Encodes a pattern as the bytes of a file.
    func write(_ pattern: HapticPattern, law: IntensityLaw) -> [UInt8] {
        Array(JSONWriter.text(of: HJIFWriter(law: law).json(of: HapticSignal(pattern))).utf8)
    }
}
