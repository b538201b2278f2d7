// SoundMark: detects sound files in place of patterns.

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

    /// Throws `ToolError` if the file is a sound. The error names the command that creates a
    /// pattern from the sound.
    package func checkIsNoSound() throws(ToolError) {
        guard isSound else { return }
        throw ToolError(
            refused: name, "a sound, not a pattern",
            advice: "make a pattern from the sound: bridge import \(name) -o pattern.ahap")
    }
}
