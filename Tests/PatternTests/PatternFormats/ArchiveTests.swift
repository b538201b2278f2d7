// Tests of archives and projects, which contain patterns in other formats.

import HapticPatterns
import Testing

@testable import PatternFormats

@Suite struct ArchiveTests {
    /// A file in an archive, and changes to the file's directory entry.
    private struct File {
        var name: String
        var content: [UInt8]
        var isDeflated = false
        var claimedSize: Int?
        var checksum: UInt32?
    }

    private static let hla = Array(#"{"Timings":[0,60,60],"Amplitudes":[0,200,0]}"#.utf8)

    private func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// Returns a ZIP archive. Deflated files consist of one block without compression (RFC 1951,
    /// 3.2.4).
    private func archive(_ files: [File]) -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for file in files {
            let length = UInt16(file.content.count)
            let packed =
                (file.isDeflated ? [1] + little(length) + little(~length) : []) + file.content
            let facts =
                little(UInt16(20)) + little(UInt16(0)) + little(UInt16(file.isDeflated ? 8 : 0))
                + little(UInt32(0)) + little(file.checksum ?? Deflate.checksum(of: file.content))
                + little(UInt32(packed.count))
                + little(UInt32(file.claimedSize ?? file.content.count))
                + little(UInt16(file.name.utf8.count)) + little(UInt16(0))
            directory +=
                little(UInt32(0x0201_4B50)) + little(UInt16(20)) + facts
                + [UInt8](repeating: 0, count: 10) + little(UInt32(bytes.count)) + file.name.utf8
            bytes += little(UInt32(0x0403_4B50)) + facts + file.name.utf8 + packed
        }
        let end =
            little(UInt32(0x0605_4B50)) + little(UInt32(0)) + little(UInt16(files.count))
            + little(UInt16(files.count)) + little(UInt32(directory.count))
            + little(UInt32(bytes.count)) + little(UInt16(0))
        return bytes + directory + end
    }

    /// Checks that an archive is read as one level of 200/255 from 0.06 s to 0.12 s.
    private func expectLevel(_ archive: [UInt8]) throws {
        let read = try PatternFormats.read(archive)
        let events = read.pattern.events
        #expect(events.map(\.type) == [.hapticContinuous])
        #expect(events.map(\.time) == [0] && events.map(\.length) == [60_000])
        #expect(abs(events[0].intensity - 0.8856) < 0.0001)
        #expect(read.losses.isEmpty)
    }

    @Test func readsThePatternOfAnArchive() throws {
        for isDeflated in [false, true] {
            let pattern = File(name: "main.hla", content: Self.hla, isDeflated: isDeflated)
            try expectLevel(archive([pattern]))
            try expectLevel(archive([File(name: "main.ogg", content: [1, 2]), pattern]))
        }
        #expect(PatternFormats.format(of: archive([])).name == "hac")
    }

    @Test func readsThePatternInTheFewestFolders() throws {
        let other = File(name: "old/main.hla", content: Array("{}".utf8))
        try expectLevel(archive([other, File(name: "main.hla", content: Self.hla)]))
        try expectLevel(
            archive([
                File(name: "clip/", content: []), File(name: "clip/main.hla", content: Self.hla),
                File(name: "__MACOSX/clip/._main.hla", content: [0]),
            ]))
    }

    @Test func refusesArchivesWithoutOnePattern() {
        let pattern = File(name: "a/main.hla", content: Self.hla)
        #expect(
            refusal(of: archive([pattern, File(name: "b/main.hla", content: Self.hla)]))
                == "byte 0: error: the ZIP archive contains 2 files named main.hla")
        #expect(
            refusal(of: archive([File(name: "word/document.xml", content: [0])]))
                == "byte 0: error: the ZIP archive contains \"word/document.xml\", not main.hla; "
                + "the only archives that are read are those of Hapticlabs (.hac)")
        #expect(refusal(of: archive([])).contains("contains no files, not main.hla"))
    }

    @Test func refusesDamagedAndEnormousPatterns() {
        let damaged = File(name: "main.hla", content: Self.hla, checksum: 1)
        #expect(refusal(of: archive([damaged])) == "error: \"main.hla\" is damaged")
        let long = File(name: "main.hla", content: Self.hla, isDeflated: true, claimedSize: 20)
        #expect(refusal(of: archive([long])) == "error: \"main.hla\" is damaged")
        let enormous = File(name: "main.hla", content: Self.hla, claimedSize: 1 << 30)
        #expect(
            refusal(of: archive([enormous]))
                == "error: \"main.hla\" has 1073741824 bytes; at most 16777216 are unpacked")
        let text = Array("{\"Timings\": [1],\n \"Amplitudes\": [256]}".utf8)
        #expect(
            refusal(of: archive([File(name: "main.hla", content: text)]))
                == "2:17: error: main.hla: \"Amplitudes\" is 256; it must be in the range 0 to 255")
    }

    @Test func readsEachClipOfAProject() throws {
        let text = project([
            ("one", haptic(breakpoint("0", "0.25") + "," + breakpoint("1", "0.25"))),
            ("two", haptic(breakpoint("0", "1.5") + "," + breakpoint("1", "0"))),
            ("three", haptic(breakpoint("0", "0") + "," + breakpoint("1", "0"))),
        ])
        let clips = try #require(try PatternFormats.clips(of: Array(text.utf8)))
        #expect(clips.map(\.name) == ["one", "two", "three"])
        #expect(try clips[0].read().pattern.events.map(\.intensity) == [0.5])
        #expect(try clips[0].read(law: .linear).pattern.events.map(\.intensity) == [0.25])
        for (clip, message) in [
            (1, "the clip \"two\": \"amplitude\" is 1.5"), (2, "no perceptible tap"),
        ] {
            do throws(FormatError) {
                _ = try clips[clip].read()
                Issue.record("the clip is read")
            } catch {
                #expect(error.message.contains(message) && error.location != nil)
            }
        }
        #expect(try PatternFormats.clips(of: Array(haptic("").utf8)) == nil)
    }
}
