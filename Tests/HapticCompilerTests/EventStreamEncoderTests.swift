// The encoder against bytes written by hand from SPEC 7.

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
            code = bytes(hex)
        }
    }

    static let forms = [
        Form(
            "tap and end",
            [.init(.tap(intensity: 204, sharpness: 102), at: 0), .init(.end, at: 40)],
            "90 CC 66  F1 28 00"),
        Form(
            "tap difference",
            [
                .init(.tap(intensity: 100, sharpness: 100), at: 0),
                .init(.tap(intensity: 103, sharpness: 92), at: 1),
                .init(.tap(intensity: 95, sharpness: 120), at: 2),
            ], "90 64 64  A1 01 B6  A4 0F"),
        Form(
            "tap difference modulo 256",
            [
                .init(.tap(intensity: 254, sharpness: 2), at: 0),
                .init(.tap(intensity: 3, sharpness: 254), at: 0),
            ], "90 FE 02  A0 D7"),
        Form(
            "no difference for a first tap near zero",
            [.init(.tap(intensity: 1, sharpness: 4), at: 0)], "90 01 04"),
        Form(
            "sharpness difference not divisible by four",
            [
                .init(.tap(intensity: 100, sharpness: 100), at: 0),
                .init(.tap(intensity: 100, sharpness: 101), at: 0),
            ], "90 64 64  90 64 65"),
        Form("level", [.init(.level(77), at: 3)], "B1 03 4D"),
        Form(
            "level and sharpness",
            [.init(.levelSharpness(level: 153, sharpness: 108), at: 0)], "C0 99 6C"),
        Form(
            "level ramp, then at its end",
            [.init(.levelRamp(to: 10, duration: 400), at: 0), .init(.level(0), at: 400)],
            "D0 0A 90 03  B2 00"),
        Form(
            "sharpness ramp, then at its end",
            [.init(.sharpnessRamp(to: 26, duration: 127), at: 0), .init(.end, at: 127)],
            "E0 1A 7F  F3 00"),
        Form("sharpness jump", [.init(.sharpnessRamp(to: 5, duration: 0), at: 0)], "E0 05 00"),
        Form("tap gain", [.init(.tapGain(to: 128, duration: 400), at: 0)], "F0 32 80 90 03"),
        Form("tap gain jump", [.init(.tapGain(to: 76, duration: 0), at: 0)], "F0 22 4C 00"),
        Form(
            "first use of the unfilled slot",
            [.init(.tap(intensity: 0, sharpness: 0), at: 0)], "00"),
        Form(
            "slots for value and delta",
            [
                .init(.level(9), at: 10), .init(.level(0), at: 20), .init(.level(9), at: 30),
                .init(.level(0), at: 300),
            ], "B1 0A 09  B4 00  04  11 8E 02"),
        Form(
            "wait before a long gap", [.init(.end, at: 3_000_000)],
            "F1 FF FF 7F 03  F1 C1 8D 37 00"),
        Form("longest delta in one event", [.init(.end, at: 2_097_151)], "F1 FF FF 7F 00"),
    ]

    @Test(arguments: forms) func writesEveryForm(_ form: Form) {
        #expect(EventStreamEncoder.encode(form.events) == form.code)
    }

    @Test func deltaOf65536TicksEntersNoSlot() {
        let events = [StreamEvent(.level(1), at: 65_536), StreamEvent(.level(2), at: 131_072)]
        #expect(EventStreamEncoder.encode(events) == bytes("B1 80 80 04 01  B1 80 80 04 02"))
    }

    @Test func deltaOf65535TicksEntersASlot() {
        let events = [StreamEvent(.level(1), at: 65_535), StreamEvent(.level(2), at: 131_070)]
        #expect(EventStreamEncoder.encode(events) == bytes("B1 FF FF 03 01  B4 02"))
    }

    @Test func rampLongerThanASlotIsWrittenAgain() {
        let ramp = StreamEvent.Content.levelRamp(to: 1, duration: 65_536)
        let contents = [ramp, .level(3), ramp, .level(4)]
        let code = EventStreamEncoder.encode(contents.map { StreamEvent($0, at: 0) })
        #expect(code == bytes("D0 01 80 80 04  B0 03  D0 01 80 80 04  B0 04"))
    }

    @Test(arguments: [
        (8, "F0 11 07"), (64, "F0 11 3F"), (65, "F0 21 00 01"), (100, "F0 21 23 01"),
        (16_384, "F0 21 3F FF"),
    ])
    func writesARunOfOneEvent(count: Int, run: String) {
        let events = (0..<(count + 2)).map {
            StreamEvent(.tap(intensity: 204, sharpness: 102), at: $0 * 40)
        }
        #expect(EventStreamEncoder.encode(events) == bytes("90 CC 66  01 28") + bytes(run))
    }

    @Test(arguments: [(2, "F0 11 49"), (3, "F0 11 89"), (4, "F0 11 C9")])
    func writesARunOfSeveralEvents(period: Int, run: String) {
        let cycle: [StreamEvent.Content] = [
            .level(200), .level(0), .tap(intensity: 1, sharpness: 0), .level(50),
        ]
        let events = (0..<(11 * period)).map {
            StreamEvent(cycle[$0 % period], at: ($0 + 1) * 10)
        }
        let code = EventStreamEncoder.encode(events)
        #expect(code.suffix(3) == bytes(run)[...])
        #expect(code.count == EventStreamEncoder.encode(Array(events.prefix(period))).count + 3)
    }

    @Test func valueSlotsStartOverAfterTheLast() {
        let levels = (1...10).map { StreamEvent(.level($0), at: 0) }
        let again = [StreamEvent(.level(10), at: 0), StreamEvent(.level(2), at: 0)]
        let code = EventStreamEncoder.encode(levels + again + [StreamEvent(.level(1), at: 0)])
        #expect(code.suffix(4) == bytes("00 10 B0 01")[...])
    }

    @Test func deltaSlotsStartOverAfterTheLast() {
        var tick = 0
        var events: [StreamEvent] = []
        for delta in Array(1...13) + [13, 2, 1] {
            tick += delta
            events.append(StreamEvent(.level(UInt8(events.count)), at: tick))
        }
        let code = EventStreamEncoder.encode(events)
        #expect(code.suffix(7) == bytes("B4 0D B5 0E B1 01 0F")[...])
    }

    @Test func bytesDoNotDependOnWhenTheyAreTaken() {
        var generator = SeededGenerator(seed: 1)
        let events = RandomListing.events(count: 2_000, using: &generator)
        var encoder = EventStreamEncoder()
        var code: [UInt8] = []
        for event in events {
            encoder.append(event)
            code += encoder.takeBytes()
        }
        #expect(code == EventStreamEncoder.encode(events))
    }
}
