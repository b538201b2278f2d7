// Tests that compare the `.hbes` container with SPEC 7.6, and tests of the text form of a stream.

import HapticCompiler
import Testing

@Suite struct CompiledFileTests {
    /// A file with one tap and END. Its checksum was calculated independently of this code.
    private let whole =
        [UInt8](hex: "48 42 45 53 01 00 FA 00 06 00 00 00 6F 6B 43 D5 90 CC 66 F1 28 00")

    @Test func writesTheBytesOfTheSpecification() {
        #expect(CompiledFile(bytes: [UInt8](hex: "90 CC 66 F1 28 00")).encoded == whole)
    }

    @Test func readsWhatItWrites() throws {
        let file = try CompiledFile(decoding: whole)
        #expect(file.tick == 250)
        #expect(file.bytes == [UInt8](hex: "90 CC 66 F1 28 00"))
    }

    @Test(arguments: [
        (0, 0x49, CompiledFileError.notACompiledFile),
        (4, 2, .unknownVersion(2, offset: 4)),
        (5, 1, .unknownFlags(1, offset: 5)),
        (6, 0, .illegalTick(0, offset: 6)),
        (7, 1, .illegalTick(0x1FA, offset: 6)),
        (8, 7, .truncated(offset: 22, expected: 23)),
        (8, 5, .trailingBytes(offset: 21)),
        (11, 0xFF, .truncated(offset: 22, expected: 16 + 0xFF00_0006)),
        (12, 0x6E, .damaged(offset: 12, expected: 0xD543_6B6E, found: 0xD543_6B6F)),
    ])
    func refusesAWrongByteWithItsPlace(offset: Int, byte: UInt8, error: CompiledFileError) {
        var file = whole
        file[offset] = byte
        #expect(throws: error) { try CompiledFile(decoding: file) }
    }

    @Test(arguments: 16..<22) func refusesDamagedEventCode(offset: Int) {
        var file = whole
        file[offset] ^= 0x10
        #expect(throws: CompiledFileError.self) { try CompiledFile(decoding: file) }
    }

    @Test(arguments: 0..<22) func refusesEveryTruncation(length: Int) {
        #expect(throws: CompiledFileError.self) {
            try CompiledFile(decoding: Array(whole.prefix(length)))
        }
    }
}

@Suite struct EventListingTests {
    @Test func writesOneLineForEachKindOfEvent() {
        let events: [StreamEvent] = [
            .init(.tapGain(to: 76, duration: 0), at: 0),
            .init(.tapGain(to: 219, duration: 320), at: 0),
            .init(.tap(intensity: 204, sharpness: 102), at: 0),
            .init(.levelSharpness(level: 153, sharpness: 108), at: 1),
            .init(.level(77), at: 49),
            .init(.levelRamp(to: 0, duration: 400), at: 400),
            .init(.sharpnessRamp(to: 26, duration: 1), at: 40_000_003),
            .init(.sharpnessRamp(to: 5, duration: 0), at: 40_000_003),
            .init(.end, at: 40_000_004),
        ]
        let text = """
                   0.000  tap gain         76
                   0.000  tap gain ramp    to 219  in 80.000
                   0.000  tap              intensity 204  sharpness 102
                   0.250  level            153  sharpness 108
                  12.250  level            77
                 100.000  level ramp       to 0  in 100.000
            10000000.750  sharpness ramp   to 26  in 0.250
            10000000.750  sharpness        5
            10000001.000  end

            """
        #expect(EventListing(events).description == text)
    }

    @Test func countsInTheTickOfTheFile() {
        let listing = EventListing([StreamEvent(.level(1), at: 3)], tick: 1_000)
        #expect(listing.lines == ["       3.000  level            1"])
    }
}
