// Tests of the bytes of Open Sound Control datagrams, based on the examples of the specification.

import ProgramProtocols
import TestSupport
import Testing

@Suite struct OSCReaderTests {
    /// Returns the bytes of a string with its terminator and padding.
    private func padded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8) + [0]
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    private func bundle(_ tag: UInt64, _ elements: [[UInt8]]) -> [UInt8] {
        padded("#bundle") + big(tag) + elements.flatMap { big(UInt32($0.count)) + $0 }
    }

    private func big(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private func reason(_ bytes: [UInt8]) -> String? {
        do throws(OSCError) {
            _ = try OSCReader.read(bytes)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func theFirstExampleOfTheSpecificationIsRead() throws {
        let bytes: [UInt8] = [
            0x2F, 0x6F, 0x73, 0x63, 0x69, 0x6C, 0x6C, 0x61, 0x74, 0x6F, 0x72, 0x2F, 0x34, 0x2F,
            0x66,
            0x72, 0x65, 0x71, 0x75, 0x65, 0x6E, 0x63, 0x79, 0x00, 0x2C, 0x66, 0x00, 0x00, 0x43,
            0xDC,
            0x00, 0x00,
        ]
        #expect(
            try OSCReader.read(bytes)
                == .message(OSCMessage("/oscillator/4/frequency", [.float(440)])))
    }

    @Test func theSecondExampleOfTheSpecificationIsRead() throws {
        let bytes: [UInt8] = [
            0x2F, 0x66, 0x6F, 0x6F, 0x00, 0x00, 0x00, 0x00, 0x2C, 0x69, 0x69, 0x73, 0x66, 0x66,
            0x00,
            0x00, 0x00, 0x00, 0x03, 0xE8, 0xFF, 0xFF, 0xFF, 0xFF, 0x68, 0x65, 0x6C, 0x6C, 0x6F,
            0x00,
            0x00, 0x00, 0x3F, 0x9D, 0xF3, 0xB6, 0x40, 0xB5, 0xB2, 0x2D,
        ]
        #expect(
            try OSCReader.read(bytes)
                == .message(
                    OSCMessage(
                        "/foo",
                        [.int32(1000), .int32(-1), .string("hello"), .float(1.234), .float(5.678)]))
        )
    }

    @Test func allTypesAreRead() throws {
        var bytes = padded("/x") + padded(",bhdtcrmSTFNI[i[s]]")
        bytes += big(UInt32(3)) + [1, 2, 3, 0]
        bytes += big(Int64(-2)) + big((0.5).bitPattern) + big(UInt64(1)) + big(UInt32(0x41))
        bytes += big(UInt32(0xFF00_0080)) + big(UInt32(0x0090_4040)) + padded("sym")
        bytes += big(Int32(7)) + padded("in")
        #expect(
            try OSCReader.read(bytes)
                == .message(
                    OSCMessage(
                        "/x",
                        [
                            .blob([1, 2, 3]), .int64(-2), .double(0.5), .timeTag(.immediately),
                            .character("A"), .color(0xFF00_0080), .midi(0x0090_4040),
                            .string("sym"), .bool(true), .bool(false), .null, .impulse,
                            .array([.int32(7), .array([.string("in")])]),
                        ])))
    }

    @Test func aMessageWithoutTypeTagsHasNoArguments() throws {
        #expect(try OSCReader.read(padded("/old")) == .message(OSCMessage("/old")))
    }

    @Test func messagesOfABundleHaveItsTime() throws {
        let inner = bundle(2, [padded("/b") + padded(",")])
        let packet = try OSCReader.read(bundle(1, [padded("/a") + padded(","), inner]))
        #expect(packet.messages.map(\.message.address) == ["/a", "/b"])
        #expect(packet.messages.map(\.tag.value) == [1, 2])
        #expect(try OSCReader.read(bundle(1, [])).messages.isEmpty)
    }

    @Test(
        arguments: [
            ([], "byte 0: the size of a packet must be a multiple of 4 bytes, and at least 4"),
            (
                [0x2F, 0x61, 0],
                "byte 0: the size of a packet must be a multiple of 4 bytes, and at least 4"
            ),
            (
                Array("abc\0".utf8),
                "byte 0: a packet must begin with an address (/…) or with #bundle"
            ),
            (Array("/abc".utf8), "byte 0: the string has no terminating zero"),
            (Array("/a\0b".utf8), "byte 3: expected zeros up to a multiple of 4 bytes"),
            ([0x2F, 0xFF, 0, 0], "byte 0: the string is not valid UTF-8"),
            (
                Array("/a\0\0abcd".utf8),
                "byte 4: expected the types of the arguments, which begin with a comma"
            ),
            (Array("/a\0\0,i\0\0".utf8), "byte 8: expected 4 bytes"),
            (Array("/a\0\0,x\0\0".utf8), "byte 5: the argument type \"x\" is unknown"),
            (Array("/a\0\0,[\0\0".utf8), "byte 4: [ without ]"),
            (Array("/a\0\0,]\0\0".utf8), "byte 4: ] without ["),
            (
                Array("/a\0\0,\0\0\0\0\0\0\0".utf8),
                "byte 8: expected no bytes after the last argument"
            ),
            (
                Array("/a\0\0,b\0\0".utf8) + [0xFF, 0xFF, 0xFF, 0xFF],
                "byte 8: a blob of 4294967295 bytes extends beyond the packet"
            ),
            (Array("/a\0\0,c\0\0".utf8) + [0, 0, 0xD8, 0], "byte 8: not a character"),
            (Array("#bunfle\0".utf8), "byte 0: expected #bundle"),
            (Array("#bundle\0".utf8) + [0, 0, 0, 0], "byte 8: expected 8 bytes"),
            (
                Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8],
                "byte 16: an element of 8 bytes extends beyond its bundle"
            ),
            (
                Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
                "byte 20: the size of a packet must be a multiple of 4 bytes, and at least 4"
            ),
        ] as [([UInt8], String)])
    func whatIsNoPacketIsRefusedWithItsPlace(bytes: [UInt8], expected: String) {
        #expect(reason(bytes) == expected)
    }

    @Test func moreThanIsReadIsRefused() {
        var nested = padded("/a")
        for _ in 0..<9 { nested = bundle(1, [nested]) }
        #expect(reason(nested)?.contains("nested deeper than 8") == true)
        let many = bundle(1, [[UInt8]](repeating: padded("/a"), count: 1024))
        #expect(reason(many)?.contains("more than 1024 messages") == true)
        let tags = padded("/a") + padded("," + String(repeating: "T", count: 257))
        #expect(reason(tags)?.contains("more than 256 arguments") == true)
        let arrays = padded("/a") + padded("," + String(repeating: "[", count: 9))
        #expect(reason(arrays)?.contains("nested deeper than 8") == true)
        #expect(reason([UInt8](repeating: 0, count: 65_508))?.contains("at most 65507") == true)
    }

    @Test func anyPrefixAndAnyDamagedByteIsReadOrRefused() {
        var generator = SeededGenerator(seed: 27)
        let whole = bundle(5, [padded("/a") + padded(",sf") + padded("x") + [0, 0, 0, 0]])
        // A bundle whose elements are cut off is a valid empty bundle.
        for length in whole.indices where length != 16 {
            #expect(reason(Array(whole.prefix(length))) != nil)
        }
        for _ in 0..<20_000 {
            var bytes = whole
            bytes[Int.random(in: bytes.indices, using: &generator)] =
                UInt8.random(in: 0...255, using: &generator)
            _ = reason(bytes)
        }
    }

    @Test func timeTagsAreThoseOfNTP() {
        #expect(OSCTimeTag(unixTime: 0).value == 0x83AA_7E80_0000_0000)
        #expect(OSCTimeTag(0x83AA_7E80_8000_0000).unixTime == 0.5)
        let time = 1_795_000_000.123_456
        #expect(abs(OSCTimeTag(unixTime: time).unixTime - time) < 1e-6)
        #expect(OSCTimeTag(unixTime: 0.999_999_999_999).value == 0x83AA_7E80_FFFF_FFFF)
    }
}
