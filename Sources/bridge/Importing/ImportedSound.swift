// ImportedSound: a decoded sound file, and a pattern made from it.

import AHAP
import HapticBridgeSound
import HapticPatterns
import JSONText
import POSIX
import PatternFormats
import SoundImport
import ToolSupport

/// A sound that is ready to be imported.
struct ImportedSound {
    /// The name for messages: the path, or "<stdin>".
    let name: String
    /// The number of bytes that are missing at the end of a truncated file.
    let missingBytes: Int
    /// The number of consecutive streams in an Ogg file; 0 for other files.
    let oggStreamCount: Int
    /// The number of channels that contain sound, and the number of channels that contain haptics.
    let channelCounts: (sound: Int, haptic: Int)
    private let source: SoundImport
    /// The name of the sound in the metadata of its patterns.
    private let title: String

    /// Reads and decodes a file; "-" means standard input.
    init(_ path: String) throws(ToolError) {
        name = path == "-" ? "<stdin>" : path
        title = path == "-" ? "a sound" : path.split(separator: "/").last.map(String.init) ?? path
        let (channels, haptic, sampleRate, missing, streams) = try Self.samples(path)
        (missingBytes, oggStreamCount) = (missing, streams)
        channelCounts = (channels.count, haptic.count)
        do throws(FormatError) {
            if haptic.isEmpty {
                source = try SoundImport(channels: consume channels, sampleRate: sampleRate)
            } else {
                source = try SoundImport(hapticChannels: haptic, sampleRate: sampleRate)
            }
        } catch {
            throw ToolError(error.diagnostic, in: name)
        }
    }

    private static func samples(
        _ path: String
    ) throws(ToolError) -> (
        channels: [[Float]], haptic: [[Float]], sampleRate: Int, missing: Int, streams: Int
    ) {
        let standardInput = path == "-" ? try InputFile(path) : nil
        // Throws `ToolError` for a file that cannot be read, so that the error differs from the
        // error for a file that cannot be decoded.
        if standardInput == nil, access(path, R_OK) != 0 {
            throw ToolError(
                .noInput, "\(path): \(String(cString: strerror(errno)))",
                advice: "use a sound file that you can read, or - for standard input")
        }
        do throws(SoundFileError) {
            let sound =
                if let standardInput {
                    try SoundFile.read(standardInput.bytes, name: standardInput.name)
                } else {
                    try SoundFile.read(path)
                }
            return (
                sound.channels, sound.hapticChannels, sound.sampleRate, sound.missingBytes,
                sound.oggStreamCount
            )
        } catch {
            throw ToolError(.badData, "\(error)")
        }
    }

    /// Creates a pattern from the sound, and checks that the resulting AHAP file can be read.
    func pattern(_ settings: ImportSettings) throws(ToolError) -> ImportedPattern {
        let document: AHAPDocument
        let (pattern, used): (HapticPattern, ImportSettings)
        do throws(FormatError) {
            (pattern, used) = try source.pattern(settings)
            document = try SoundImport.document(of: pattern, settings: used, name: title)
        } catch {
            throw ToolError(error.diagnostic, in: name)
        }
        let bytes = Array(AHAPWriter.text(of: document).utf8)
        do throws(AHAPError) {
            _ = try AHAPReader.read(bytes)
        } catch {
            throw ToolError(
                .badData, "\(name): the pattern becomes too long: \(error.message)",
                advice: "use a shorter part of the sound, or make fewer taps with --density")
        }
        return ImportedPattern(settings: used, pattern: pattern, bytes: bytes)
    }
}

/// A pattern that was created from a sound.
struct ImportedPattern {
    /// The settings that were used, including the chosen style.
    let settings: ImportSettings
    let pattern: HapticPattern
    /// The AHAP file.
    let bytes: [UInt8]

    private var taps: Int { pattern.events.count { $0.type == .hapticTransient } }

    func summary(from sound: String, to path: String) -> String {
        "\(sound) -> \(path): \(taps.text("tap")) and \((pattern.events.count - taps).text("level")) "
            + "in \(pattern.length.secondsText)"
            + (settings.style == .auto ? "" : ", style \(settings.style.rawValue)")
    }

    func json(from sound: String, to path: String) -> JSONValue {
        [
            "schema": "bridge.import/1",
            "file": .string(sound),
            "output": .string(path),
            "settings": settings.json,
            "taps": .number(taps),
            "events": .number(pattern.events.count),
            "duration_us": .number(pattern.length),
        ]
    }
}
