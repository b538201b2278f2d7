// OtherKind: detects files of other kinds in place of patterns.

extension InputFile {
    /// The first bytes of AIFF, FLAC, Ogg and tagged MP3 files.
    private static let soundMarks = ["FORM", "fLaC", "OggS", "ID3"]

    /// True if the file begins like a sound file. A RIFF file is a sound only if it contains WAVE.
    private var isSound: Bool {
        if bytes.starts(with: "RIFF".utf8) || bytes.starts(with: "RF64".utf8) {
            return bytes.dropFirst(8).starts(with: "WAVE".utf8)
        }
        return Self.soundMarks.contains { bytes.starts(with: $0.utf8) }
    }

    /// True if the file begins like an HTML page, which a server sends in place of a missing file.
    private var isWebPage: Bool {
        let start = String(decoding: bytes.prefix(256), as: UTF8.self).lowercased()
        let text = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }

    /// The first bytes of further kinds of files, the names of the kinds, and advice.
    private static let marks: [(start: [UInt8], kind: String, advice: String)] = [
        (
            Array("version https://git-lfs.github.com/spec/".utf8),
            "a pointer of Git LFS, not the file itself", "`git lfs pull` downloads the file"
        ),
        (Array("%PDF-".utf8), "a PDF document, not a pattern", "give a pattern file"),
        ([0x1F, 0x8B], "a gzip archive, not a pattern", "unpack it with gunzip"),
        ([0x89, 0x50, 0x4E, 0x47], "a PNG image, not a pattern", "give a pattern file"),
    ]

    /// Throws `ToolError` if the file is a sound, or another kind of file that cannot contain a
    /// pattern. The error names the kind. For a sound, it also names the command that creates a
    /// pattern from it.
    package func checkIsNoOtherKind() throws(ToolError) {
        if isSound {
            throw ToolError(
                refused: name, "a sound, not a pattern",
                advice: "make a pattern from the sound: bridge import \(name) -o pattern.ahap")
        }
        if isWebPage {
            throw ToolError(
                refused: name, "a web page, not a pattern",
                advice: "download the pattern file itself, not the page that shows it")
        }
        if let mark = Self.marks.first(where: { bytes.starts(with: $0.start) }) {
            throw ToolError(refused: name, mark.kind, advice: mark.advice)
        }
    }
}
