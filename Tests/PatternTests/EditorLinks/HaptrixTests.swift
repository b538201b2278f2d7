// Tests of the messages of Haptrix, byte by byte, and of invalid messages.

import Testing

@testable import ProgramProtocols

@Suite struct HaptrixTests {
    @Test func messagesHaveATypeAndALengthWithTheLowestByteFirst() throws {
        var decoder = HaptrixDecoder()
        decoder.append(
            [UInt8](hex: "01000000 02000000 7B7D 02000000 00000000 03000000 01000000 50"))
        #expect(try decoder.next() == .ahap([0x7B, 0x7D]))
        #expect(try decoder.next() == .kill)
        #expect(try decoder.next() == .zip([0x50]))
        #expect(try decoder.next() == nil)
    }

    @Test func messagesArriveInPartsOfAnySize() throws {
        let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        let message = [UInt8](hex: "01000000 88130000") + content
        let unknown = [UInt8](hex: "09000000 88130000") + content
        for size in [1, 3, 7, 8, 9, 4999, 20_000] {
            var decoder = HaptrixDecoder()
            var messages: [HaptrixDecoder.Message] = []
            var rest = (message + unknown + message)[...]
            while !rest.isEmpty {
                decoder.append(rest.prefix(size))
                rest = rest.dropFirst(size)
                while let message = try decoder.next() { messages.append(message) }
            }
            #expect(messages == [.ahap(content), .unknown(9), .ahap(content)], "\(size)")
        }
    }

    @Test(arguments: ["01000000 01000002", "03000000 FFFFFFFF", "00000000 FFFFFFFF"])
    func aMessageThatIsTooLongIsRefusedBeforeItArrives(header: String) {
        var decoder = HaptrixDecoder()
        decoder.append([UInt8](hex: header))
        #expect(throws: EditorLinkError.self) { try decoder.next() }
    }

    // MARK: ZIP, as Python's zipfile writes it

    /// A ZIP archive that contains the file `a.ahap`, uncompressed. The content of the file is
    /// `{}`.
    private static let stored = [UInt8](
        hex: """
            504b03041400000000000000785d43bfa6a3020000000200000006000000612e616861707b7d\
            504b010214031400000000000000785d43bfa6a302000000020000000600000000000000000000\
            00800100000000612e61686170504b0506000000000100010034000000260000000000
            """)
    /// An archive with two deflated files: `Tap.ahap`, which contains `{"Pattern":[]}` four times,
    /// and `tap.wav`.
    private static let deflated = [UInt8](
        hex: """
            504b03041400000008000000785dce3ff3ff1300000038000000080000005461702e61686170\
            ab560a482c29492dca53b28a8eadad269a0700504b03041400000008000000785d5ca2970606000000\
            04000000070000007461702e7761760bf27473030050\
            4b010214031400000008000000785dce3ff3ff130000003800000008000000000000000000000080010000\
            00005461702e61686170504b010214031400000008000000785d5ca29706060000000400000007000000\
            00000000000000008001390000007461702e776176504b050600000000020002006b000000640000000000
            """)

    @Test func theAHAPFileOfAnArchiveIsFound() throws {
        let one = try HaptrixPackage(zip: Self.stored, limit: 2)
        #expect(one.name == "a.ahap" && one.ahap == Array("{}".utf8) && one.others == 0)
        let two = try HaptrixPackage(zip: Self.deflated, limit: 56)
        #expect(two.name == "Tap.ahap" && two.others == 1)
        #expect(two.ahap == Array(String(repeating: #"{"Pattern":[]}"#, count: 4).utf8))
    }

    /// Returns a copy of an archive in which the bytes at an offset are replaced.
    private func changed(_ bytes: [UInt8], at offset: Int, to new: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
        return bytes
    }

    private func refusal(of bytes: [UInt8], limit: Int = 1000) -> String {
        do throws(EditorLinkError) {
            _ = try HaptrixPackage(zip: bytes, limit: limit)
            return ""
        } catch {
            return error.message
        }
    }

    @Test func aFileThatIsLargerThanWantedIsNotUnpacked() {
        #expect(refusal(of: Self.deflated, limit: 55).contains("at most 55 are unpacked"))
    }

    /// The offset of the first entry in the central directory of ``deflated``.
    private static let entry = 100

    @Test(arguments: [UInt8(1), 55, 57, 255])
    func anArchiveThatLiesAboutASizeIsDamaged(size: UInt8) {
        let bytes = changed(Self.deflated, at: Self.entry + 24, to: [size, 0, 0, 0])
        #expect(refusal(of: bytes).contains("\"Tap.ahap\" is damaged"))
    }

    @Test func everyWayToHarmAnArchiveIsRefusedInWords() {
        let entry = Self.entry
        for (offset, new, words) in [
            (entry + 16, [UInt8(0)], "is damaged"), (entry + 8, [1], "is encrypted"),
            (entry + 10, [12], "method 12"), (entry + 42, [1], "is not at the offset"),
            (entry + 42, [255, 255, 255, 255], "is not at the offset"),
            (entry, [0], "list of files"),
            (entry + 20, [255, 255], "the archive ends within"),
            (entry + 28, [255, 255], "damaged"),
            (Self.deflated.count - 12, [3, 0], "several parts"),
            (Self.deflated.count - 14, [0xE9, 3, 0xE9, 3], "1001 files; at most 1000"),
            (Self.deflated.count - 6, [255, 255, 255, 255], "larger than 4 GB"),
            (Self.deflated.count - 2, [1], "the end of its directory is missing"),
            (45, [0xFF], "is damaged"),
        ] as [(Int, [UInt8], String)] {
            let refusal = refusal(of: changed(Self.deflated, at: offset, to: new))
            #expect(refusal.contains(words), "\(offset): \(refusal)")
        }
    }

    @Test(arguments: ["../a.", "/bin/a", "a/../b", "..", "\\a.aha"])
    func namesThatLeadOutOfAnArchiveAreRefused(name: String) {
        // The name begins 46 bytes after the start of its directory entry.
        let padded = Array(name.utf8) + Array("/".utf8.prefix(name == ".." ? 1 : 0))
        let bytes = changed(Self.stored, at: 38 + 46, to: Array(padded.prefix(6)))
        #expect(refusal(of: bytes).contains("outside the folder of the archive"))
    }

    @Test func anArchiveWithoutAPatternSaysSo() {
        let bytes = changed(Self.stored, at: 38 + 46, to: Array("a.json".utf8))
        #expect(refusal(of: bytes) == "the archive has no file whose name ends in .ahap")
    }

    @Test func archivesThatAreCutOffAreRefused() {
        for count in 0..<Self.deflated.count {
            #expect(!refusal(of: Array(Self.deflated.prefix(count))).isEmpty, "\(count)")
        }
    }

    @Test func noByteThatIsChangedDoesHarm() {
        // Each file has a checksum, so the reader reads only undamaged files.
        for index in Self.deflated.indices {
            for bit in [UInt8(1), 0x80, 0xFF] {
                let byte = Self.deflated[index] ^ bit
                let bytes = changed(Self.deflated, at: index, to: [byte])
                let package = try? HaptrixPackage(zip: bytes, limit: 1000)
                #expect(package == nil || package?.ahap.count == 56 || package?.ahap.count == 4)
            }
        }
    }

    // MARK: Discovery

    @Test func avahisListingIsRead() {
        let text = #"""
            +;eth0;IPv4;Mac;_haptrix._tcp;local
            =;eth0;IPv4;Anna\226\128\153s\032Mac\059\.;_haptrix._tcp;local;mac.local;192.168.1.5;50123;
            =;eth0;IPv6;Mac;_haptrix._tcp;local;mac.local;fe80::1;50123;"a=b;c"
            =;eth0;IPv6;Mac;_haptrix._tcp;local;mac.local;2001:db8::1;70000;
            =;eth0
            """#
        let services = NetworkService.list(text)
        #expect(services.map(\.name) == ["Anna’s Mac;.", "Mac"])
        #expect(services.map(\.address) == ["192.168.1.5", "fe80::1%eth0"])
        #expect(services.map(\.port) == [50123, 50123])
    }
}
