// bridge import: makes haptic patterns from sounds.

import AHAP
import ArgumentParser
import Foundation
import HapticBridgeSound
import HapticPatterns
import JSONText
import PatternFormats
import SoundImport
import ToolSupport

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make haptic patterns from sounds.",
        discussion: """
            Reads WAV, AIFF, FLAC, Ogg, MP3 and all other formats of libsndfile. Each onset in the \
            sound becomes a tap, and the remaining sound becomes a level that follows the \
            loudness. The result is a first version: play it, try the other styles, and edit it.

            An Ogg file with the comment ANDROID_HAPTIC=1 has a haptic channel after the channels \
            of its sound. The amplitude of this channel becomes the level, and the sound is not \
            imported.

            The settings are stored in the Metadata of the AHAP file, from which --like reads \
            them. With the same settings, the same sound results in the same bytes.

            Examples:
              bridge import bell.wav -o bell.ahap
              bridge import --style music --density 0.8 song.flac -o song.ahap
              bridge import --stereo steps.wav -o steps.ahap
              bridge import --like bell.ahap knock.wav -o knock.ahap
              bridge import - -o - < rain.wav | bridge play --virtual -
            """)

    @Argument(help: "Sound files or folders, or - for standard input.")
    var files: [String]

    @Option(
        name: .customShort("o"),
        help: ArgumentHelp(
            "The file or the folder to write, or - for standard output.", valueName: "file"))
    var destination: String

    @Option(
        help: ArgumentHelp(
            "The parts of the sound that are felt; auto by default.",
            discussion: """
                impacts: each onset is a tap, with a soft level for its resonance. music: taps at \
                the beats, and the bass. speech: the rise and fall of the syllables. ambience: a \
                slow level, and a tap at each prominent sound. auto: impacts if most of the energy \
                is percussive or directly follows onsets, ambience if there are hardly any onsets, \
                music otherwise.
                """))
    var style: ImportSettings.Style?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The density of taps, 0 (none) to 1; 0.5 by default.", valueName: "number"))
    var density: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The factor by which all intensities are multiplied, 0 to 4; 1 by default.",
            discussion: "At 1, the loudest instant of the sound has full intensity.",
            valueName: "factor"))
    var gain: Double?

    @Flag(
        help: ArgumentHelp(
            "Make one pattern from the left channel and one from the right channel.",
            discussion: """
                With -o steps.ahap, the files are steps-left.ahap and steps-right.ahap, for \
                `bridge play --locality leftHandle` and `rightHandle`.
                """))
    var stereo = false

    @Option(
        help: ArgumentHelp(
            "An imported AHAP file whose settings are used.",
            discussion: "Other options override its settings.",
            valueName: "file"),
        completion: .file(extensions: ["ahap"]))
    var like: String?

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if output.json && destination == "-" {
            throw ValidationError("--json and -o - both write to standard output.")
        }
        let ending = URL(fileURLWithPath: destination).pathExtension.lowercased()
        if ending != "ahap", PatternFormats.all.contains(where: { $0.fileExtension == ending }) {
            throw ValidationError(
                "\(destination): a sound becomes an AHAP file; use a name that ends in .ahap, and "
                    + "`bridge convert` converts it to the other format.")
        }
        if stereo && destination == "-" {
            throw ValidationError("--stereo writes two files: specify their name with -o.")
        }
        if let density, !(0...1 ~= density) { throw ValidationError("--density must be 0 to 1.") }
        if let gain, !(0...ImportSettings.gainMax ~= gain) {
            throw ValidationError("--gain must be 0 to \(Int(ImportSettings.gainMax)).")
        }
    }

    func run() throws {
        let settings = try settings()
        let jobs = try FileJob.jobs(files, of: Self.sounds, to: destination, ending: "ahap")
        try FileJob.run(jobs) { try importSound($0, settings) }
    }

    private static let sounds = FileJob.Kind(
        name: "sound files",
        endings: [
            "aif", "aifc", "aiff", "au", "caf", "flac", "mp3", "oga", "ogg", "opus", "snd", "w64",
            "wav", "wave",
        ])

    /// Returns the settings from the file that --like names, changed by the other options.
    private func settings() throws(ToolError) -> ImportSettings {
        var settings = try like.map(Self.settings) ?? ImportSettings()
        settings.style = style ?? settings.style
        settings.density = density ?? settings.density
        settings.gain = gain ?? settings.gain
        return settings
    }

    private static func settings(of path: String) throws(ToolError) -> ImportSettings {
        let file = try InputFile(path)
        let document: AHAPDocument
        do throws(AHAPError) {
            document = try AHAPReader.read(file.bytes).document
        } catch {
            throw ToolError(error.diagnostic, in: file.name)
        }
        do throws(FormatError) {
            return try ImportSettings(metadata: document.metadata)
        } catch {
            throw ToolError(error.diagnostic, in: file.name)
        }
    }

    private func importSound(_ job: FileJob, _ settings: ImportSettings) throws {
        let sound = try ImportedSound(job.source)
        if sound.missingBytes > 0 {
            output.remark(
                "\(sound.name): warning: the file is truncated; its last \(sound.missingBytes.text("byte")) are missing"
            )
        }
        if sound.oggStreamCount > 1 {
            output.remark(
                "\(sound.name): warning: only the first of the \(sound.oggStreamCount) streams that follow one "
                    + "another in the file is imported")
        }
        if sound.channelCounts.haptic > 0 {
            let (count, haptic) = sound.channelCounts
            output.remark(
                "\(sound.name): the amplitude of \(haptic.text("haptic channel")) becomes the level; the "
                    + "sound in \(count.text("channel")) is left out")
        }
        // All patterns of a sound are created before the first file is written.
        let patterns = try (stereo ? [.left, .right] : [settings.channel]).map { channel in
            var settings = settings
            settings.channel = channel
            return try sound.pattern(settings)
        }
        for pattern in patterns {
            let channel = pattern.settings.channel.rawValue
            let path =
                stereo ? FileJob.path(job.destination, inserting: channel) : job.destination
            try FileJob(source: job.source, destination: path).checkKeepsSource()
            try OutputFile.write(pattern.bytes, to: path)
            output.remark(pattern.summary(from: sound.name, to: path))
            if output.json {
                let json = pattern.json(from: sound.name, to: path)
                try output.result(JSONWriter.text(of: json, layout: .compact))
            }
        }
    }
}

extension ImportSettings.Style: ExpressibleByArgument {}
