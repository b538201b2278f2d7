// Tests of the files, the report and the exit status of `bridge convert`, and of other commands
// that read formats other than AHAP.

import Foundation
import TestSupport
import Testing

@Suite struct ConvertTests {
    let folder = Folder()

    private static let clip = """
        {"version": {"major": 1}, "signals": {"continuous": {"envelopes": {"amplitude": [
        {"time": 0, "amplitude": 0.25}, {"time": 1, "amplitude": 0.81}]}}}}
        """
    private static let broken = "<vibration-effect>\n<waveform-effect/>\n</vibration-effect>"

    @Test func convertWritesAHAPThatLintAccepts() throws {
        let target = folder.path("clip.ahap")
        let outcome = try Tool.bridge(
            "convert", folder.write("clip.haptic", Self.clip), "-o", target)
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("greatest difference 0.00 JND"))
        #expect(try Tool.bridge("lint", "--strict", target).status == 0)
    }

    @Test func convertWritesToStandardOutput() throws {
        let outcome = try Tool.bridge(
            "convert", "--to", "hjif", folder.write("clip.haptic", Self.clip), "-o", "-")
        #expect(outcome.status == 0 && outcome.output.contains("\"perceptions\""))
    }

    @Test func convertReportsLossesAndRefusesThemIfStrict() throws {
        let path = try folder.write("audio.ahap", Samples.audio)
        let target = folder.path("audio.haptic")
        let strict = try Tool.bridge("convert", "--strict", path, "-o", target)
        #expect(strict.status == 65 && strict.errors.contains("--strict refuses losses"))
        #expect(!FileManager.default.fileExists(atPath: target))
        let outcome = try Tool.bridge("convert", "--json", path, "-o", target)
        #expect(outcome.status == 0 && outcome.errors.contains("not played"))
        let object = try #require(outcome.objects.first)
        #expect(object["schema"] as? String == "bridge.convert/1")
        #expect((object["losses"] as? [[String: Any]])?.isEmpty == false)
    }

    /// Checks that a RIFF file with MIDI is not read as a sound, and that a system message in the
    /// file is skipped.
    @Test func convertReportsTheByteOfALossInABinaryFile() throws {
        let track: [UInt8] = [0, 0xF8, 0, 0x90, 60, 100, 96, 60, 0, 0, 0xFF, 0x2F, 0]
        let midi =
            Data("MThd".utf8) + Data([0, 0, 0, 6, 0, 0, 0, 1, 0, 96])
            + Data("MTrk".utf8) + Data([0, 0, 0, UInt8(track.count)] + track)
        let data =
            Data("RIFF".utf8) + Data([UInt8(midi.count + 12), 0, 0, 0]) + Data("RMIDdata".utf8)
            + Data([UInt8(midi.count), 0, 0, 0]) + midi
        let file = try folder.write("notes.rmi", data).path
        let outcome = try Tool.bridge("convert", "--json", file, "-o", folder.path("notes.ahap"))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "notes.rmi: byte 43: not played: the system message F8 is skipped"))
        let losses = try #require(outcome.objects.first)["losses"] as? [[String: Any]]
        #expect(losses?.map { $0["byte"] as? Int } == [43])
    }

    /// Checks the conversion of a tap during a continuous level. A waveform cannot represent the
    /// tap separately, so the tap either raises the level or is omitted.
    @Test func convertSaysOfATapWhetherItIsMissingOrMerged() throws {
        func outcome(of level: Double) throws -> Outcome {
            let path = try folder.write(
                "tap.ahap",
                """
                {"Pattern": [{"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 1,
                "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": \(level)}]}},
                {"Event": {"Time": 0.5, "EventType": "HapticTransient", "EventParameters": [
                {"ParameterID": "HapticIntensity", "ParameterValue": 0.6}]}}]}
                """)
            return try Tool.bridge("convert", path, "-o", folder.path("tap.xml"))
        }
        let merged = try outcome(of: 0.3)
        #expect(
            merged.errors.contains("the tap is merged into the level, which rises"), "\(merged)")
        #expect(merged.errors.contains("2 events, 1 degraded, 0 not played"), "\(merged)")
        let missing = try outcome(of: 0.9)
        #expect(
            missing.errors.contains(
                "not played: 0.500 s: the converted pattern does not contain the tap"),
            "\(missing)")
        #expect(
            missing.errors.contains("greatest difference of the remaining events "), "\(missing)")
    }

    @Test func convertTakesAFolderAndContinuesAfterARefusal() throws {
        let source = folder.path("clips")
        try FileManager.default.createDirectory(
            atPath: source, withIntermediateDirectories: true)
        try Data(Self.clip.utf8).write(to: URL(fileURLWithPath: source + "/a.haptic"))
        try Data(Self.broken.utf8).write(to: URL(fileURLWithPath: source + "/b.xml"))
        let outcome = try Tool.bridge("convert", source, "-o", folder.path("out"))
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("b.xml:2:1: error: the waveform lasts 0 ms"))
        #expect(FileManager.default.fileExists(atPath: folder.path("out/a.ahap")))
        try Data(Self.clip.utf8).write(to: URL(fileURLWithPath: source + "/a.hjif"))
        _ = try Tool.bridge("convert", source, "-o", folder.path("both"))
        for name in ["both/a.haptic.ahap", "both/a.hjif.ahap"] {
            #expect(FileManager.default.fileExists(atPath: folder.path(name)))
        }
    }

    /// Checks the files that macOS and Unity add to a folder.
    @Test func convertSkipsHiddenFilesAndOtherFilesOfAFolder() throws {
        let source = folder.path("unity")
        try FileManager.default.createDirectory(
            atPath: source, withIntermediateDirectories: true)
        _ = try folder.write("unity/clip.haptic", Self.clip)
        for name in ["._clip.haptic", ".DS_Store", ".hidden.ahap", "clip.haptic.meta"] {
            _ = try folder.write("unity/\(name)", "\u{0}\u{5}")
        }
        let outcome = try Tool.bridge("convert", source, "-o", folder.path("out"))
        #expect(outcome.status == 0, "\(outcome)")
        let written = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
        #expect(written == ["clip.ahap"])
    }

    @Test func convertWritesAFileForEachClipOfAProject() throws {
        let flat = Self.clip.replacing("0.81", with: "0.25")
        let clips = [("a/b", Self.clip), ("A/B", flat), ("..", "{}")].map {
            "{\"name\": \"\($0)\", \"haptic\": \($1)}"
        }
        let project = try folder.write(
            "project.hasp",
            "{\"version\": {\"major\": 2}, \"clips\": [\(clips.joined(separator: ", "))]}")
        let outcome = try Tool.bridge("convert", project, "-o", folder.path("out.ahap"))
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.contains("project.hasp:3:"), "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted()
        #expect(names == ["out-A_B-2.ahap", "out-a_b.ahap", "project.hasp"], "\(names)")
        #expect(try Tool.bridge("lint", folder.path("out-A_B-2.ahap")).status == 0)
        let output = try Tool.bridge("convert", project, "-o", "-")
        #expect(
            output.status == 64 && output.errors.contains("3 clips cannot be written"),
            "\(output)")
        let lint = try Tool.bridge("lint", project)
        #expect(
            lint.status == 65
                && lint.output.contains(
                    "a project of Meta Haptics Studio with 3 clips: \"a/b\", \"A/B\", \"..\""),
            "\(lint)")
    }

    /// Checks destinations that would overwrite a file: the folder of the sources, one file name for several
    /// sources, and a link.
    @Test func convertTakesNoFilesPlace() throws {
        let sources = folder.path("sources")
        try FileManager.default.createDirectory(
            atPath: sources, withIntermediateDirectories: true)
        for name in ["a", "b"] { _ = try folder.write("sources/\(name).ahap", Samples.audio) }
        let before = folder.text("sources/a.ahap")
        let same = try Tool.bridge("convert", sources, "-o", sources)
        #expect(same.status == 64 && same.errors.contains("this is the input file"), "\(same)")
        let one = try Tool.bridge(
            "convert", sources + "/a.ahap", sources + "/b.ahap", "-o", folder.path("x.ahap"))
        #expect(
            one.status == 64 && one.errors.contains("the name of a single file, but there are 2"),
            "\(one)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("x.ahap")))
        let out = folder.path("out")
        try FileManager.default.createDirectory(
            atPath: out, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: out + "/a.ahap", withDestinationPath: folder.path("elsewhere"))
        let link = try Tool.bridge("convert", sources, "-o", out)
        #expect(link.status == 73 && link.errors.contains("out/a.ahap: a symbolic link"), "\(link)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("elsewhere")))
        #expect(folder.text("sources/a.ahap") == before)
    }

    @Test func convertNamesTheFormatsThatItWrites() throws {
        let outcome = try Tool.bridge(
            "convert", folder.write("clip.haptic", Self.clip), "-o", folder.path("clip.haps"))
        #expect(outcome.status == 64 && outcome.errors.contains("--to takes haptic, android"))
    }

    @Test func otherCommandsTakeOtherFormats() throws {
        let path = try folder.write("clip.haptic", Self.clip)
        for command in ["lint", "explain", "dump"] {
            #expect(try Tool.bridge(command, path).status == 0, "\(command)")
        }
        #expect(try Tool.bridge("lint", "--fix", path).status == 65)
        let broken = try folder.write("broken.xml", Self.broken)
        #expect(try Tool.bridge("explain", broken).errors.contains("broken.xml:2:1: error"))
    }
}
