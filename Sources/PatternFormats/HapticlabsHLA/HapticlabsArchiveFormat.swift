// HapticlabsArchiveFormat: .hac, the archive of Hapticlabs Studio for Android.

import JSONText

/// The format `.hac`: a ZIP archive that contains `main.hla`. The archive may also contain the
/// sounds of the pattern, and `main.ogg`, which contains the same haptics as a sound.
///
/// Every other ZIP archive is also recognized, and is rejected when its contents are read.
final class HapticlabsArchiveFormat: PatternFormat {
    /// The name in options and messages.
    let name = "hac"
    /// A short description.
    let summary = ".hac of Hapticlabs"
    /// The file name extension.
    let fileExtension = "hac"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = .sqrt

    private static let pattern = "main.hla"

    /// Returns whether a file is in this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .bytes(let bytes) = content else { return false }
        return bytes.starts(with: [0x50, 0x4B, 0x03, 0x04])
            || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06])
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let archive = try ZIPArchive(bytes)
        let files = archive.outermost { $0 == Self.pattern }
        guard let file = files.first else { throw Self.refusal(of: archive) }
        guard files.count == 1 else {
            throw FormatError(
                at: .byte(0), "the ZIP archive contains \(files.count) files named \(Self.pattern)",
                advice: "unpack the archive, and use these files individually")
        }
        let text = try archive.content(of: file, limit: FormatLimits.bytes)
        do throws(FormatError) {
            return try HapticlabsHLAFormat().read(text, law: law)
        } catch {
            throw error.within(Self.pattern)
        }
    }

    /// Returns the error for an archive without a pattern. The message names the first file in the
    /// archive.
    private static func refusal(of archive: ZIPArchive) -> FormatError {
        let content = archive.entries.first.map { "\"\($0.name.asNameOfStranger)\"" } ?? "no files"
        return FormatError(
            at: .byte(0),
            "the ZIP archive contains \(content), not \(pattern); the only archives that are read "
                + "are those of Hapticlabs (.hac)",
            advice: "unpack the archive, and use the files in it")
    }
}
