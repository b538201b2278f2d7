// PatternSoundCheck: finds and removes the sounds of a pattern that cannot be played.

import AHAP
import Foundation
import HapticBridge
import HapticBridgeSound
import HapticPatterns
import ToolSupport

extension AHAPReader.Result {
    /// Returns a diagnostic for each sound that cannot be played, with the index of its event: a
    /// warning, or an error in strict mode.
    ///
    /// - Parameter file: the file, whose folder contains the sounds; nil if the pattern was not
    ///   read from a file.
    func soundDiagnostics(
        in file: URL?, _ reading: ReadingOptions
    ) -> [(event: Int, diagnostic: Diagnostic)] {
        guard pattern.events.contains(where: { $0.type == .audioCustom }) else { return [] }
        HapticSound.install()
        return pattern.unplayableSounds(in: file).map { sound in
            let diagnostic = Diagnostic(
                .unplayableSound, reading.strict ? .error : .warning, at: sound.location,
                "the sound cannot be played: \(sound.reason)",
                advice: "provide the sound, or remove its event")
            return (sound.event, diagnostic)
        }
    }

    /// Prints a warning for each sound that cannot be played, and returns the pattern without these
    /// sounds. Throws `ToolError` for such a sound in strict mode.
    ///
    /// - Parameters:
    ///   - name: the name of the file in messages.
    ///   - file: the file, whose folder contains the sounds; nil if the pattern was not read from a
    ///     file.
    func omittingUnplayableSounds(
        named name: String, in file: URL?, _ reading: ReadingOptions, _ output: OutputOptions
    ) throws(ToolError) -> AHAPReader.Result {
        let found = soundDiagnostics(in: file, reading)
        if reading.strict, let first = found.first { throw ToolError(first.diagnostic, in: name) }
        for sound in found { output.remark(sound.diagnostic.line(file: name)) }
        let omitted = Set(found.map(\.event))
        var result = self
        result.pattern = HapticPattern(
            events: pattern.events.indices.filter { !omitted.contains($0) }.map {
                pattern.events[$0]
            },
            parameters: pattern.parameters, curves: pattern.curves)
        return result
    }
}

extension InputFile {
    /// The path of the file, whose folder contains the sounds; nil for a built-in pattern.
    var soundBase: URL? { Self.soundBase(of: name) }

    fileprivate static func soundBase(of name: String) -> URL? {
        FileManager.default.fileExists(atPath: name) ? URL(fileURLWithPath: name) : nil
    }
}

extension PatternFile {
    /// The path of the file, whose folder contains the sounds; nil for a built-in pattern.
    var soundBase: URL? { InputFile.soundBase(of: name) }

    /// Returns a diagnostic for each sound that cannot be played, with the index of its event.
    func soundDiagnostics(_ reading: ReadingOptions) -> [(event: Int, diagnostic: Diagnostic)] {
        source?.soundDiagnostics(in: soundBase, reading) ?? []
    }

    /// Prints a warning for each sound that cannot be played, and removes these sounds. Throws
    /// `ToolError` for such a sound in strict mode.
    mutating func omitUnplayableSounds(
        _ reading: ReadingOptions, _ output: OutputOptions
    ) throws(ToolError) {
        guard let source else { return }
        let result = try source.omittingUnplayableSounds(
            named: name, in: soundBase, reading, output)
        self = replacingSource(by: result)
    }
}
