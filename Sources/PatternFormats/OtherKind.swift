// OtherKind: detects files that are not patterns.

/// A kind of file that cannot contain a pattern, but that users may mistake for one.
package struct OtherKind {
    /// The name of the kind, for an error message.
    package let name: String
    /// The remedy.
    package let advice: String

    /// Recognizes a file by its first bytes. Returns nil if the file is not of one of these kinds.
    ///
    /// - Parameter file: the name of the file, for the command that creates a pattern from a sound.
    package init?(of bytes: [UInt8], calling file: String) {
        if Self.isSound(bytes) {
            name = "a sound, not a pattern"
            advice = "make a pattern from the sound: bridge import \(file) -o pattern.ahap"
        } else if Self.isWebPage(bytes) {
            name = "a web page, not a pattern"
            advice = "download the pattern file itself, not the page that shows it"
        } else if let mark = Self.marks.first(where: { bytes.starts(with: $0.start) }) {
            (name, advice) = (mark.name, mark.advice)
        } else {
            return nil
        }
    }

    /// The first bytes of AIFF, FLAC, Ogg and tagged MP3 files.
    private static let soundMarks = ["FORM", "fLaC", "OggS", "ID3"]

    /// True if the file begins like a sound file. A RIFF file is a sound only if it contains WAVE.
    private static func isSound(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: "RIFF".utf8) || bytes.starts(with: "RF64".utf8) {
            return bytes.dropFirst(8).starts(with: "WAVE".utf8)
        }
        return soundMarks.contains { bytes.starts(with: $0.utf8) }
    }

    /// ASCII white space, and the bytes of a byte order mark in UTF-8.
    private static let blanks: [UInt8] = [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]

    /// True if the file begins like an HTML page. A server sends such a page in place of a missing
    /// file.
    private static func isWebPage(_ bytes: [UInt8]) -> Bool {
        // Setting bit 5 converts capital letters to small letters; in the other characters, the bit
        // is already set.
        let start = bytes.prefix(256).drop { blanks.contains($0) }.map { $0 | 0x20 }
        return start.starts(with: "<!doctype html".utf8) || start.starts(with: "<html".utf8)
    }

    /// The first bytes of other kinds of files.
    private static let marks: [(start: [UInt8], name: String, advice: String)] = [
        (
            Array("version https://git-lfs.github.com/spec/".utf8),
            "a Git LFS pointer, not the file itself", "`git lfs pull` downloads the file"
        ),
        (Array("%PDF-".utf8), "a PDF document, not a pattern", "use a pattern file"),
        ([0x1F, 0x8B], "a gzip archive, not a pattern", "unpack it with gunzip"),
        ([0x89, 0x50, 0x4E, 0x47], "a PNG image, not a pattern", "use a pattern file"),
    ]
}
