// Tests that compare the encoder with bytes that were written by hand from SPEC 7.

import HapticCompiler
import TestSupport
import Testing

@Suite struct EventStreamEncoderTests {
    struct Form: CustomTestStringConvertible {
        var testDescription: String
        var events: [StreamEvent]
        var code: [UInt8]

        init(_ name: String, _ events: [StreamEvent], _ hex: String) {
            testDescription = name
            self.events = events
            code = [UInt8](hex: hex)
        }
    }

    static let forms = [
        Form(
            "tap and end",
            [.init(.tap(intensity: 205, sharpness: 102), at: 0), .init(.end, at: 40)],
            "90 CD 66  F3 28"),
        Form(
            "tap of round values", [.init(.tap(intensity: 204, sharpness: 102), at: 0)], "A0 84"),
        Form(
            "level and sharpness of round values",
            [.init(.levelSharpness(level: 191, sharpness: 0), at: 0)], "80 C0"),
        Form("level", [.init(.level(77), at: 3)], "B1 03 4D"),
        Form(
            "level and sharpness",
            [.init(.levelSharpness(level: 153, sharpness: 108), at: 0)], "C0 99 6C"),
        Form(
            "level ramp, then at its end",
            [.init(.levelRamp(to: 10, duration: 401), at: 0), .init(.level(5), at: 401)],
            "D0 0A 91 03  B2 05"),
        Form(
            "level ramp, then the end at its end",
            [.init(.levelRamp(to: 10, duration: 400), at: 0), .init(.end, at: 400)],
            "D0 0A 90 03  F2"),
        Form(
            "sharpness ramp, then at its end",
            [.init(.sharpnessRamp(to: 26, duration: 127), at: 0), .init(.level(5), at: 127)],
            "E0 1A 7F  B3 05"),
        Form("end at once", [.init(.end, at: 0)], "F0 00"),
        Form("sharpness jump", [.init(.sharpnessRamp(to: 5, duration: 0), at: 0)], "E0 05 00"),
        Form("tap gain", [.init(.tapGain(to: 128, duration: 400), at: 0)], "F0 32 80 90 03"),
        Form("tap gain jump", [.init(.tapGain(to: 76, duration: 0), at: 0)], "F0 22 4C 00"),
        Form(
            "the initial contents of slots",
            [.init(.level(0), at: 400), .init(.tap(intensity: 0, sharpness: 0), at: 600)], "7E  04"
        ),
        Form(
            "slots for value and delta",
            [
                .init(.level(9), at: 10), .init(.level(8), at: 20), .init(.level(9), at: 30),
                .init(.level(8), at: 300),
            ], "B1 0A 09  B4 08  04  11 8E 02"),
        Form(
            "wait before a long gap", [.init(.end, at: 3_000_000)],
            "F1 FF FF 7F 03  F3 C1 8D 37"),
        Form("longest delta in one event", [.init(.end, at: 2_097_151)], "F3 FF FF 7F"),
    ]

    @Test(arguments: forms) func writesEveryForm(_ form: Form) {
        #expect(EventStreamEncoder.encode(form.events) == form.code)
    }

    @Test func deltaOf65536TicksEntersNoSlot() {
        let events = [StreamEvent(.level(1), at: 65_536), StreamEvent(.level(2), at: 131_072)]
        #expect(EventStreamEncoder.encode(events) == [UInt8](hex: "B1 80 80 04 01  B1 80 80 04 02"))
    }

    @Test func deltaOf65535TicksEntersASlot() {
        let events = [StreamEvent(.level(1), at: 65_535), StreamEvent(.level(2), at: 131_070)]
        #expect(EventStreamEncoder.encode(events) == [UInt8](hex: "B1 FF FF 03 01  B4 02"))
    }

    @Test func rampLongerThanASlotIsWrittenAgain() {
        let ramp = StreamEvent.Content.levelRamp(to: 1, duration: 65_536)
        let contents = [ramp, .level(3), ramp, .level(4)]
        let code = EventStreamEncoder.encode(contents.map { StreamEvent($0, at: 0) })
        #expect(code == [UInt8](hex: "D0 01 80 80 04  B0 03  D0 01 80 80 04  B0 04"))
    }

    @Test(arguments: [
        (3, "F4 00"), (14, "FF 00"), (15, "F4 20"), (98, "FF E0"), (100, "FF E0  04 04"),
        (101, "FF E0  F4 00"),
    ])
    func writesACopyOfOneEvent(count: Int, copy: String) {
        let events = (0...count).map {
            StreamEvent(.tap(intensity: 205, sharpness: 102), at: ($0 + 1) * 41)
        }
        #expect(
            EventStreamEncoder.encode(events) == [UInt8](hex: "91 29 CD 66") + [UInt8](hex: copy))
    }

    @Test(arguments: [(2, "F9 21"), (3, "F7 42"), (4, "F5 63")])
    func writesACopyOfSeveralEvents(period: Int, copy: String) {
        let cycle: [StreamEvent.Content] = [
            .level(200), .level(1), .tap(intensity: 1, sharpness: 0), .level(50),
        ]
        let events = (0..<(11 * period)).map {
            StreamEvent(cycle[$0 % period], at: ($0 + 1) * 10)
        }
        // The first event was a literal, but its slot contains the same value.
        let code = EventStreamEncoder.encode(events)
        #expect(code.suffix(2) == [UInt8](hex: copy)[...])
        #expect(code.count == EventStreamEncoder.encode(Array(events.prefix(period))).count + 2)
    }

    @Test func copiesTheLongestOfWhatItRemembers() {
        // The values are 1 2 3 4 5, another value, and again 2 3 4 5. The last four values are a
        // copy from five positions before.
        let levels: [UInt8] = [1, 2, 3, 4, 5, 9, 2, 3, 4, 5, 7]
        let code = EventStreamEncoder.encode(levels.map { StreamEvent(.level($0), at: 0) })
        #expect(code == [UInt8](hex: "B0 01 B0 02 B0 03 B0 04 B0 05 B0 09  F5 04  B0 07"))
    }

    @Test func valueSlotsStartOverAfterTheLast() {
        let levels = (1...10).map { StreamEvent(.level($0), at: 0) }
        let again = [StreamEvent(.level(10), at: 0), StreamEvent(.level(2), at: 0)]
        let code = EventStreamEncoder.encode(levels + again + [StreamEvent(.level(1), at: 0)])
        #expect(code.suffix(5) == [UInt8](hex: "10 B0 02 B0 01")[...])
    }

    @Test func deltaSlotsStartOverAfterTheLast() {
        var tick = 0
        var events: [StreamEvent] = []
        for delta in Array(1...13) + [13, 2, 1] {
            tick += delta
            events.append(StreamEvent(.level(UInt8(events.count)), at: tick))
        }
        let code = EventStreamEncoder.encode(events)
        #expect(code.suffix(7) == [UInt8](hex: "B4 0D B5 0E B1 01 0F")[...])
    }

    @Test func bytesDoNotDependOnWhenTheyAreTaken() {
        var generator = SeededGenerator(seed: 1)
        let events = RandomListing.events(count: 2_000, using: &generator)
        var encoder = EventStreamEncoder()
        var code: [UInt8] = []
        for event in events {
            encoder.append(event)
            code += encoder.drainBytes()
        }
        #expect(code == EventStreamEncoder.encode(events))
    }
}
