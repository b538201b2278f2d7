// SoundMark: detects sound files in place of patterns.

extension InputFile {
    /// The first bytes of WAV, AIFF, FLAC, Ogg and tagged MP3 files.
    private static let soundMarks = ["RIFF", "RF64", "FORM", "fLaC", "OggS", "ID3"]

    /// Throws `ToolError` if the file is a sound. The error names the command that creates a
    /// pattern from the sound.
    func checkIsNoSound() throws(ToolError) {
        guard !bytes.starts(with: "RIFF".utf8) || !bytes.dropFirst(8).starts(with: "RMID".utf8)
        else {
            throw ToolError(
                .badData, "\(name): MIDI inside RIFF, which is not supported",
                advice: "export the music as a Standard MIDI File (.mid), and convert that file")
        }
        guard Self.soundMarks.contains(where: { bytes.starts(with: $0.utf8) }) else { return }
        throw ToolError(
            .badData, "\(name): a sound, not a pattern",
            advice: "make a pattern from the sound: bridge import \(name) -o pattern.ahap")
    }
}
