// Tests that compare the decoder with SPEC 7: the code that it accepts, the code that it rejects
// with the position of the error, and the code that results when the events are encoded again.

import HapticCompiler
import TestSupport
import Testing

@Suite struct EventStreamDecoderTests {
    private func decode(_ hex: String) throws -> [StreamEvent] {
        try EventStreamDecoder.decode([UInt8](hex: hex), requiringEnd: false)
    }

    @Test(arguments: EventStreamEncoderTests.forms)
    func readsEveryForm(_ form: EventStreamEncoderTests.Form) throws {
        let events = try EventStreamDecoder.decode(form.code, requiringEnd: false)
        #expect(events == form.events)
    }

    @Test(arguments: 1...20) func readsWhatTheEncoderWrites(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let events = RandomListing.events(count: 1_000, using: &generator)
        #expect(try EventStreamDecoder.decode(EventStreamEncoder.encode(events)) == events)
    }

    @Test func rampEndInThePastIsNow() throws {
        let events = try decode("D0 0A 04  B1 0A 00  B2 05  B3 06")
        #expect(events.map(\.tick) == [0, 10, 10, 10])
    }

    @Test func jumpEndsTheRampThatLaterDeltasName() throws {
        let events = try decode("D0 0A 64  E0 0A 64  B1 0A 00  B2 05  B3 06")
        #expect(events.map(\.tick) == [0, 0, 10, 10, 100])
    }

    @Test func levelSharpnessEndsBothRamps() throws {
        let events = try decode("D0 0A 64  E0 0A 64  C1 0A 00 00  B2 05  B3 06")
        #expect(events.map(\.tick) == [0, 0, 10, 10, 10])
    }

    @Test func freshSlotsHoldSilentTapsALevelOfNothingAndRoundTimes() throws {
        let events = try decode("6F  74")
        #expect(
            events == [
                StreamEvent(.tap(intensity: 0, sharpness: 0), at: 800),
                StreamEvent(.level(0), at: 1_000),
            ])
    }

    @Test func copyContinuesIntoWhatItHasCopied() throws {
        let events = try decode("B1 01 01  B4 02  F5 01")
        #expect(
            events.map(\.content) == [
                .level(1), .level(2), .level(1), .level(2), .level(1), .level(2),
            ])
        #expect(events.map(\.tick) == [1, 2, 3, 4, 5, 6])
    }

    @Test func copyPassesOverWaitsAndGains() throws {
        let events = try decode("B1 0A 05  F1 0A 03  F0 22 07 00  F4 00")
        #expect(events.map(\.tick) == [10, 20, 30, 40, 50])
    }

    @Test func unknownSpecialIsSkippedByItsLengthAndKeepsItsTime() throws {
        #expect(try decode("F1 05 29 AA BB  B0 07") == [StreamEvent(.level(7), at: 5)])
    }

    @Test(arguments: [
        ("", EventStreamError.missingEnd(offset: 0)),
        ("B0 05", .missingEnd(offset: 2)),
        ("90 01", .truncated(offset: 2)),
        ("B1", .truncated(offset: 1)),
        ("B1 80 80", .truncated(offset: 3)),
        ("B1 80 80 80 00 05", .literalTooLong(offset: 1)),
        ("D0 05 FF FF FF 01", .literalTooLong(offset: 2)),
        ("F0", .truncated(offset: 1)),
        ("F0 32 80", .truncated(offset: 3)),
        ("F0 12 80 F0 00", .shortSpecial(offset: 1)),
        ("F0 22 80 90 03", .shortSpecial(offset: 1)),
        ("F3", .truncated(offset: 1)),
        ("F3 80 80 80 00", .literalTooLong(offset: 1)),
        ("B0 01 F4", .truncated(offset: 3)),
        ("F0 00 B0 01", .afterEnd(offset: 2)),
        ("F2 B0 01", .afterEnd(offset: 1)),
    ])
    func refusesMalformedCodeWithItsPlace(hex: String, error: EventStreamError) {
        #expect(throws: error) { try EventStreamDecoder.decode([UInt8](hex: hex)) }
    }

    @Test func boundsWhatCopiesCanGrowTo() {
        // The code contains one event, and each copy adds 98 events, so the eleventh copy exceeds
        // the limit.
        let code =
            [UInt8](hex: "B0 01") + Array(repeating: [UInt8](hex: "FF E0"), count: 100).joined()
        #expect(throws: EventStreamError.tooManyEvents(offset: 22, limit: 1_000)) {
            try EventStreamDecoder.decode(code, limit: 1_000)
        }
    }

    @Test(arguments: 1...10) func damagedCodeIsRefusedOrReadButNeverCrashes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let code = EventStreamEncoder.encode(
            RandomListing.events(count: 200, using: &generator))
        for length in 0..<code.count {
            _ = try? EventStreamDecoder.decode(Array(code.prefix(length)), limit: 100_000)
        }
        for _ in 0..<300 {
            var damaged = code
            let position = Int.random(in: damaged.indices, using: &generator)
            damaged[position] = UInt8.random(in: 0...255, using: &generator)
            _ = try? EventStreamDecoder.decode(damaged, limit: 100_000)
        }
    }
}
