// SoundMark: sounds where a pattern is expected.

extension InputFile {
    /// The first bytes of WAV, AIFF, FLAC, Ogg and tagged MP3 files.
    private static let soundMarks = ["RIFF", "RF64", "FORM", "fLaC", "OggS", "ID3"]

    /// Refuses a sound, with the command that makes a pattern of it.
    func checkIsNoSound() throws(ToolError) {
        guard !bytes.starts(with: "RIFF".utf8) || !bytes.dropFirst(8).starts(with: "RMID".utf8)
        else {
            throw ToolError(
                .badData, "\(name): MIDI inside of RIFF, which is not read",
                advice: "export it as a Standard MIDI File (.mid), and convert that")
        }
        guard Self.soundMarks.contains(where: { bytes.starts(with: $0.utf8) }) else { return }
        throw ToolError(
            .badData, "\(name): a sound, not a pattern",
            advice: "make a pattern of it: bridge import \(name) -o pattern.ahap")
    }
}
