// Tests of the comments in Ogg files. The tests write the files byte by byte.

import Testing

@testable import HapticBridgeSound

@Suite struct OggCommentTests {
    private func little(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// Returns a page (RFC 3533, 6) with the given segments. The checksum of the page is not valid,
    /// because the reader of comments does not check it.
    private func page(_ segments: [[UInt8]], serial: Int = 1) -> [UInt8] {
        let header = Array("OggS".utf8) + [UInt8](repeating: 0, count: 10) + little(serial)
        return header + [UInt8](repeating: 0, count: 8) + [UInt8(segments.count)]
            + segments.map { UInt8($0.count) } + segments.joined()
    }

    /// Returns the segments of a packet. The last segment is shorter than 255 bytes.
    private func segments(_ packet: [UInt8]) -> [[UInt8]] {
        stride(from: 0, through: packet.count, by: 255).map {
            Array(packet[$0..<min($0 + 255, packet.count)])
        }
    }

    private func comments(_ mark: String, _ comments: [String]) -> [UInt8] {
        let blocks = ["vendor"] + comments
        let bytes = blocks.map { little($0.utf8.count) + $0.utf8 }
        return mark.utf8 + bytes[0] + little(comments.count) + bytes.dropFirst().joined()
    }

    private func value(_ bytes: [UInt8]) -> String? {
        OggComments.value(of: "ANDROID_HAPTIC", in: bytes)
    }

    @Test(arguments: ["\u{3}vorbis", "OpusTags"])
    func aCommentIsFoundInTheSecondPacket(mark: String) {
        let start = page([[1]])
        let found = comments(mark, ["TITLE=ANDROID_HAPTIC=3", "Android_Haptic=2", "ENCODER=x"])
        #expect(value(start + page(segments(found))) == "2")
        #expect(value(start + page(segments(comments(mark, ["TITLE=a"])))) == nil)
        #expect(value(start + page(segments(comments(mark, ["ANDROID_HAPTIC"])))) == nil)
        #expect(value(start + page(segments(comments("other", ["ANDROID_HAPTIC=1"])))) == nil)
    }

    /// Checks a packet that continues on a second page, after a page of another stream.
    @Test func aPacketMayContinueOnAnotherPage() {
        let long = "PICTURE=" + String(repeating: "p", count: 600)
        let parts = segments(comments("\u{3}vorbis", [long, "ANDROID_HAPTIC=1"]))
        #expect(parts.count == 3)
        let other = page([[7, 7]], serial: 2)
        let pages = page([[1]]) + other + page(Array(parts[..<2])) + other + page([parts[2]])
        #expect(value(pages) == "1")
    }

    @Test func noBytesAreReadBeyondTheEnd() {
        let bytes =
            page([[1]]) + page(segments(comments("OpusTags", ["A=b", "ANDROID_HAPTIC=1"])))
        for count in bytes.indices { #expect(value(Array(bytes.prefix(count))) == nil) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] = 255
            _ = value(changed)
        }
        #expect(value(Array("RIFF".utf8)) == nil)
    }
}
