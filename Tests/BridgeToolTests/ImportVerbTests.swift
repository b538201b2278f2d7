// Tests of `bridge import`: its files, its settings, and the sounds that it rejects.

import Foundation
import TestSupport
import Testing

@Suite struct ImportVerbTests {
    let folder = Folder()

    private static let drums = SyntheticSound.drums(1)

    /// Writes a WAV file with 16-bit samples. Each frame contains one sample of each channel, in
    /// order.
    private func wave(
        _ name: String, _ channels: [[Float]] = [ImportVerbTests.drums.samples], rate: Int = 48_000
    ) throws -> String {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let count = UInt16(channels.count)
        let samples = channels[0].indices.flatMap { frame in
            channels.flatMap { bytes(Int16(min(max($0[frame], -1), 1) * 32_767)) }
        }
        var file = Array("RIFF".utf8) + bytes(UInt32(36 + samples.count)) + Array("WAVEfmt ".utf8)
        file += bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(count) + bytes(UInt32(rate))
        file += bytes(UInt32(rate) * UInt32(count) * 2) + bytes(count * 2) + bytes(UInt16(16))
        file += Array("data".utf8) + bytes(UInt32(samples.count)) + samples
        let path = folder.path(name)
        try Data(file).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.path(name))
    }

    @Test func aSoundBecomesAPatternThatLintAcceptsAndThatPlays() throws {
        let target = folder.path("drums.ahap")
        let outcome = try Tool.bridge("import", wave("drums.wav"), "-o", target)
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("52 taps"), "\(outcome)")
        #expect(try Tool.bridge("lint", "--strict", target).status == 0)
        #expect(try Tool.bridge("compile", target, "-o", folder.path("drums.hbes")).status == 0)
    }

    /// Checks both a small file whose header states too many samples, and a file that actually
    /// contains too many samples.
    @Test func aSoundWithMoreSamplesThanAreReadIsRefusedBeforeItTakesMemory() throws {
        let path = try wave("long.wav", [[]], rate: 48_000)
        let count: UInt32 = 2 * 41_943_041
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 40)
        try file.write(contentsOf: withUnsafeBytes(of: count.littleEndian) { Data($0) })
        try file.truncate(atOffset: 44 + UInt64(count))
        let outcome = try Tool.bridge("import", path, "-o", folder.path("long.ahap"))
        #expect(outcome.status == 65, "\(outcome)")
        #expect(
            outcome.errors
                == "bridge: \(path): the file has 41943041 samples; at most 41943040 are read, so shorten it\n"
        )
    }

    @Test func theSettingsOfAFileMakeItsBytesAgain() throws {
        let sound = try wave("drums.wav")
        let first = folder.path("first.ahap")
        _ = try Tool.bridge(
            "import", "--style", "speech", "--density", "0.9", "--gain", "0.7", sound, "-o", first)
        let again = try Tool.bridge(
            "import", "--like", first, sound, "-o", folder.path("again.ahap"))
        #expect(again.status == 0 && again.errors.contains("style speech"))
        #expect(folder.data("again.ahap") == folder.data("first.ahap"))
        let other = try Tool.bridge(
            "import", "--like", first, "--density", "0", "--json", sound, "-o",
            folder.path("other.ahap"))
        let object = try #require(other.objects.first)
        #expect(object["schema"] as? String == "bridge.import/1" && object["taps"] as? Int == 0)
        let settings = try #require(object["settings"] as? [String: Any])
        #expect(settings["Style"] as? String == "speech" && settings["Gain"] as? Double == 0.7)
    }

    @Test func stereoMakesAFileForEachSideOrNone() throws {
        let silence = [Float](repeating: 0, count: Self.drums.samples.count)
        let both = try wave("both.wav", [Self.drums.samples, Self.drums.samples.map { $0 / 2 }])
        let outcome = try Tool.bridge(
            "import", "--stereo", both, "-o", folder.path("both.ahap"))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(exists("both-left.ahap") && exists("both-right.ahap") && !exists("both.ahap"))
        let like = try Tool.bridge(
            "import", "--like", folder.path("both-right.ahap"), both, "-o",
            folder.path("again.ahap"))
        #expect(like.status == 0)
        #expect(folder.data("again.ahap") == folder.data("both-right.ahap"))
        let one = try Tool.bridge(
            "import", "--stereo", wave("one.wav", [Self.drums.samples, silence]), "-o",
            folder.path("one.ahap"))
        #expect(one.status == 65 && one.errors.contains("no part of the right channel"))
        #expect(!exists("one-left.ahap"))
        let mono = try Tool.bridge(
            "import", "--stereo", wave("mono.wav"), "-o", folder.path("mono.ahap"))
        #expect(mono.status == 65 && mono.errors.contains("has one channel"))
    }

    @Test func aFolderIsImportedFileByFile() throws {
        let source = folder.path("sounds")
        try FileManager.default.createDirectory(
            atPath: source, withIntermediateDirectories: true)
        _ = try wave("sounds/a.wav")
        try Data("text".utf8).write(to: URL(fileURLWithPath: source + "/b.wav"))
        let outcome = try Tool.bridge("import", source, "-o", folder.path("out"))
        #expect(
            outcome.status == 65
                && outcome.errors.contains("b.wav: this is not a readable sound file"))
        #expect(exists("out/a.ahap") && !exists("out/b.ahap"))
    }

    @Test func whatCannotBeImportedIsRefusedAndNothingIsWritten() throws {
        let target = folder.path("x.ahap")
        let silent = try wave("silent.wav", [[Float](repeating: 0, count: 48_000)])
        for (path, status, words) in [
            (silent, 65, "is silent"), (try wave("empty.wav", [[]]), 65, "no samples"),
            (folder.path("missing.wav"), 66, "No such file"),
        ] {
            let outcome = try Tool.bridge("import", path, "-o", target)
            #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome)")
        }
        for (option, value) in [("--density", "2"), ("--gain", "5"), ("--style", "loud")] {
            #expect(try Tool.bridge("import", option, value, silent, "-o", target).status == 64)
        }
        #expect(!exists("x.ahap"))
        let like = try Tool.bridge(
            "import", "--like", folder.write("tap.ahap", Samples.tap), wave("d.wav"), "-o", target)
        #expect(
            like.status == 65 && like.errors.contains("does not contain \"SoundImport\""), "\(like)"
        )
    }

    @Test func aSoundIsNotReplacedByItsPattern() throws {
        let sound = try wave("drums.wav")
        let bytes = folder.data("drums.wav")
        let outcome = try Tool.bridge("import", sound, "-o", folder.path("./drums.wav"))
        #expect(
            outcome.status == 64 && outcome.errors.contains("this is the input file"), "\(outcome)")
        #expect(folder.data("drums.wav") == bytes)
    }

    @Test func aSoundInPlaceOfAPatternIsReported() throws {
        let sound = try wave("drums.wav")
        for outcome in [
            try Tool.bridge("convert", sound, "-o", folder.path("x.ahap")),
            try Tool.bridge("lint", sound), try Tool.bridge("play", "--virtual", sound),
        ] {
            #expect(outcome.status == 65, "\(outcome)")
            #expect(
                (outcome.errors + outcome.output).contains("bridge import \(sound)"), "\(outcome)")
        }
    }
}
