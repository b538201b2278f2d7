// Tests of `bridge import` with Ogg files for Android, in which the last channels are haptic.

import CSoundFile
import Foundation
import HapticPatterns
import PatternFormats
import TestSupport
import Testing

@Suite struct HapticOggTests {
    let folder = Folder()

    private static let rate = 48_000
    /// A comment in the file. Tests replace it with a tag of the same length.
    private static let title = "TITLE=0123456789"

    /// Writes an Ogg file of half a second. The file has two channels with a tone at 440 Hz. A
    /// third channel contains a signal at 150 Hz with an amplitude of 0.64 from 0.2 s to 0.3 s.
    private func ogg(_ name: String, tag: String?) throws -> String {
        let path = folder.path(name)
        var info = SF_INFO()
        (info.samplerate, info.channels) = (Int32(Self.rate), 3)
        info.format = Int32(SF_FORMAT_OGG | SF_FORMAT_VORBIS)
        let samples = (0..<Self.rate / 2).flatMap { index -> [Float] in
            let time = Double(index) / Double(Self.rate)
            let tone = Float(0.8 * sin(2 * .pi * 440 * time))
            let isFelt = time >= 0.2 && time < 0.3
            return [tone, -tone, isFelt ? Float(0.64 * sin(2 * .pi * 150 * time)) : 0]
        }
        let file = try #require(sf_open(path, Int32(SFM_WRITE), &info))
        sf_set_string(file, Int32(SF_STR_TITLE), "0123456789")
        sf_writef_float(file, samples, sf_count_t(samples.count / 3))
        sf_close(file)
        guard let tag else { return path }
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        try replaceComment(in: &bytes, by: tag)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Replaces the title, and updates the checksum of its page (RFC 3533, 6).
    private func replaceComment(in bytes: inout [UInt8], by tag: String) throws {
        let comment = try #require(bytes.firstRange(of: Array(Self.title.utf8)))
        try #require(comment.count == tag.utf8.count)
        bytes.replaceSubrange(comment, with: Array(tag.utf8))
        let page = try #require(
            bytes[..<comment.lowerBound].ranges(of: Array("OggS".utf8)).last?.lowerBound)
        let segments = bytes[(page + 27)...].prefix(Int(bytes[page + 26]))
        let end = segments.endIndex + segments.reduce(0) { $0 + Int($1) }
        bytes.replaceSubrange(page + 22..<page + 26, with: [0, 0, 0, 0])
        let checksum = bytes[page..<end].reduce(UInt32(0)) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt32(byte) << 24) { value, _ in
                value & 0x8000_0000 == 0 ? value << 1 : value << 1 ^ 0x04C1_1DB7
            }
        }
        withUnsafeBytes(of: checksum.littleEndian) {
            bytes.replaceSubrange(page + 22..<page + 26, with: $0)
        }
    }

    /// Returns the intensities of an imported file at the given times in milliseconds.
    private func levels(_ name: String, at times: [Int64]) throws -> [Double] {
        let read = try PatternFormats.read([UInt8](folder.data(name)))
        var levels = Breakpoints(HapticSignal(read.pattern).intensityPoints)
        return times.map { levels.value(at: $0 * 1_000) ?? 0 }
    }

    @Test func theHapticChannelIsTheLevelAndTheSoundIsLeftOut() throws {
        let sound = try ogg("clip.ogg", tag: "ANDROID_HAPTIC=1")
        let outcome = try Tool.bridge("import", sound, "-o", folder.path("clip.ahap"))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "the amplitude of 1 haptic channel becomes the level; the sound in 2 channels is left out"
            ), "\(outcome)")
        #expect(outcome.errors.contains("0 taps and"), "\(outcome)")
        let levels = try levels("clip.ahap", at: [100, 210, 250, 290, 400])
        for (level, wanted) in zip(levels, [0, 0.8, 0.8, 0.8, 0]) {
            #expect(abs(level - wanted) < 0.08, "\(levels)")
        }
    }

    @Test func withoutTheCommentEachChannelIsSound() throws {
        for tag in [nil, "ANDROID_HAPTIC=0"] {
            let sound = try ogg("sound.ogg", tag: tag)
            let outcome = try Tool.bridge("import", sound, "-o", folder.path("sound.ahap"))
            #expect(outcome.status == 0 && !outcome.errors.contains("haptic"), "\(outcome)")
            #expect(try levels("sound.ahap", at: [100])[0] > 0.1)
        }
    }

    /// Writes a file that consists of the given bytes, and imports it.
    private func imported(_ name: String, _ bytes: Data) throws -> Outcome {
        let path = try folder.write(name, bytes).path
        return try Tool.bridge("import", path, "-o", folder.path("imported.ahap"))
    }

    @Test func onlyTheFirstOfSeveralStreamsIsImportedWithAWarning() throws {
        _ = try ogg("one.ogg", tag: nil)
        let one = folder.data("one.ogg")
        let warning = "only the first of the 2 streams that follow one another"
        let single = try imported("single.ogg", one)
        #expect(single.status == 0 && !single.errors.contains("streams"), "\(single)")
        let chained = try imported("chained.ogg", one + one)
        #expect(chained.status == 0, "\(chained)")
        #expect(chained.errors.contains("chained.ogg: warning: \(warning)"), "\(chained)")
    }

    @Test func aFileWithoutItsEndIsRefusedWithTheReason() throws {
        _ = try ogg("whole.ogg", tag: nil)
        let whole = folder.data("whole.ogg")
        let cut = try imported("cut.ogg", whole.dropLast(1))
        #expect(cut.status == 65, "\(cut)")
        #expect(cut.errors.contains("incomplete: its last page is missing"), "\(cut)")
        let junk = try imported("junk.ogg", whole + Data(repeating: 0x55, count: 4_000))
        #expect(junk.status == 65, "\(junk)")
        #expect(junk.errors.contains("followed by 4000 bytes that are not Ogg"), "\(junk)")
        #expect(folder.data("imported.ahap").isEmpty)
    }

    @Test(arguments: ["ANDROID_HAPTIC=4", "ANDROID_HAPTIC=x"])
    func aWrongNumberOfChannelsIsRefused(tag: String) throws {
        let outcome = try Tool.bridge(
            "import", ogg("wrong.ogg", tag: tag), "-o", folder.path("wrong.ahap"))
        #expect(outcome.status == 65, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "ANDROID_HAPTIC must be the number of haptic channels, 0 to 3"), "\(outcome)")
        #expect(folder.data("wrong.ahap").isEmpty)
    }

    @Test func stereoNeedsTwoHapticChannels() throws {
        let one = try Tool.bridge(
            "import", "--stereo", ogg("one.ogg", tag: "ANDROID_HAPTIC=1"), "-o",
            folder.path("one.ahap"))
        #expect(one.status == 65 && one.errors.contains("has one channel"), "\(one)")
    }
}
