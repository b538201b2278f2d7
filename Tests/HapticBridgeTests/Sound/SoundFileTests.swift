// Tests of the samples in sound files: the formats, and the files that must be rejected.

import Foundation
import HapticBridgeSound
import Testing

@Suite struct SoundFileTests {
    @Test func readsAWAVFileAsItsSamples() throws {
        let bytes = SampleFiles.wav([0, 16_384, -32_768, 8_192], channels: 2, rate: 44_100)
        let sound = try SoundFile.read(bytes, name: "a.wav")
        #expect(sound.channels == [[0, -1], [0.5, 0.25]])
        #expect(sound.sampleRate == 44_100 && sound.length == 2)
    }

    @Test func readsAnAIFFFileAsItsSamples() throws {
        let sound = try SoundFile.read(SampleFiles.aiff([16_384, -16_384]), name: "a.aiff")
        #expect(sound == SoundFile(channels: [[0.5, -0.5]], sampleRate: 44_100))
    }

    @Test func readsAFLACFileAsItsSamples() throws {
        try inFolder { folder in
            let path = folder + "/a.flac"
            SampleFiles.flac([0, 0.5, -0.5, 0.25], at: path)
            let sound = try SoundFile.read(path)
            #expect(sound == SoundFile(channels: [[0, 0.5, -0.5, 0.25]], sampleRate: 48_000))
        }
    }

    @Test func readsFloatingPointSamplesBeyondFullScale() throws {
        let sound = try SoundFile.read(SampleFiles.floatWAV([2, -0.125]), name: "a.wav")
        #expect(sound.channels == [[2, -0.125]])
    }

    @Test func readsWhatIsThereOfAWAVFileThatIsCutOff() throws {
        let bytes = SampleFiles.wav([1, 2, 3, 4]).dropLast(3)
        let sound = try SoundFile.read(Array(bytes), name: "a.wav")
        #expect(sound.length == 2 && sound.missingBytes == 3)
    }

    @Test func readsAnEmptySound() throws {
        let sound = try SoundFile.read(SampleFiles.wav([]), name: "a.wav")
        #expect(sound.channels == [[]])
    }

    @Test func namesThePlaceAtWhichASampleIsNotANumber() {
        let bytes = SampleFiles.floatWAV([0, 1, .nan])
        #expect(
            problem(of: bytes)
                == "a.wav: sample 2: the sample is infinite or not a number; create the file again")
    }

    @Test func namesThePlaceAtWhichAFLACFileIsCutOff() throws {
        try inFolder { folder in
            let path = folder + "/a.flac"
            SampleFiles.flac((0..<100_000).map { Float(($0 * 7_919) % 1_000) / 1_000 }, at: path)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let text = try #require(problem(of: Array(bytes.prefix(bytes.count / 2))))
            #expect(
                text.contains(": sample ") && text.contains("its header specifies 100000 samples"))
        }
    }

    @Test(arguments: [
        ([], "a.wav: the file is empty"),
        (Array("no sound".utf8), "a.wav: this is not a readable sound file"),
        (SampleFiles.wav([1], channels: 0), "a.wav: this is not a readable sound file"),
        (SampleFiles.wav([1], channels: 17), "a.wav: the file has 17 channels"),
        (SampleFiles.wav([1, 2], rate: 1_000_000_000), "a.wav: the sample rate is 1000000000 Hz"),
        (SampleFiles.wav([1, 2], rate: 999), "a.wav: the sample rate is 999 Hz"),
    ]) func refusesWhatIsNoSound(bytes: [UInt8], start: String) {
        #expect(problem(of: bytes)?.hasPrefix(start) == true, "\(problem(of: bytes) ?? "read")")
    }

    @Test func refusesMoreSamplesThanTheLimit() {
        let limits = SoundFile.Limits(samples: 3)
        #expect(
            problem(of: SampleFiles.wav([1, 2, 3, 4], channels: 2), limits)
                == "a.wav: the file has 2 samples in each of 2 channels; the limit is 3 in all channels "
                + "together, so shorten it (or mix it down to one channel)")
        #expect(
            problem(of: SampleFiles.wav([1, 2, 3, 4]), limits)
                == "a.wav: the file has 4 samples; the limit is 3, so shorten it")
    }

    @Test func takesNoMemoryOnTheWordOfAHeader() throws {
        let sound = try SoundFile.read(
            SampleFiles.wav([1, 2], dataSize: 0xffff_fff0), name: "a.wav")
        #expect(sound.length == 2)
    }

    @Test func survivesEveryPrefixOfEveryFormat() throws {
        for bytes in [SampleFiles.wav([1, 2, 3]), SampleFiles.aiff([1, 2, 3])] {
            for count in bytes.indices { _ = problem(of: Array(bytes.prefix(count))) }
        }
    }

    @Test func refusesFilesThatAreTooLargeMissingOrNoFiles() throws {
        try inFolder { folder in
            let path = folder + "/a.wav"
            try Data(SampleFiles.wav([1, 2])).write(to: URL(fileURLWithPath: path))
            #expect(
                problem { try SoundFile.read(path, limits: .init(bytes: 47)) }
                    == path + ": the file has 48 bytes; the limit is 47, so shorten it")
            #expect(
                problem { try SoundFile.read(folder + "/b.wav") }
                    == folder + "/b.wav: there is no such sound file")
            #expect(
                problem { try SoundFile.read(folder) }?.contains("a folder or a device") == true)
            mkfifo(folder + "/pipe", 0o600)
            #expect(
                problem { try SoundFile.read(folder + "/pipe") }?.contains("a folder or a device")
                    == true)
            #expect(
                problem { try SoundFile.read("/dev/zero") }?.contains("a folder or a device")
                    == true)
        }
    }

    private func problem(
        of bytes: [UInt8], _ limits: SoundFile.Limits = SoundFile.Limits()
    ) -> String? {
        problem { try SoundFile.read(bytes, name: "a.wav", limits: limits) }
    }

    private func problem(_ read: () throws -> SoundFile) -> String? {
        do {
            _ = try read()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("haptic-bridge-sound-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }
}
