// Tests of the event decoder of the device (SPEC 7), which receives the code byte by byte.

import CBridgeFirmware
import HapticCompiler
import TestSupport
import Testing

@Suite struct EventDecoderTests {
    @Test func eachOperation() {
        expect([0x90, 0xFF, 0x80], [.init(EVENT_TAP, 255, 128, at: 0)])
        expect([0xB0, 0xC8], [.init(EVENT_LEVEL, 200, 0, at: 0)])
        expect([0xC0, 0x10, 0x20], [.init(EVENT_LEVEL_SHARPNESS, 16, 32, at: 0)])
        expect([0xD0, 0x40, 0xE8, 0x07], [.init(EVENT_LEVEL_RAMP, 64, 1_000, at: 0)])
        expect([0xE0, 0x40, 0x05], [.init(EVENT_SHARPNESS_RAMP, 64, 5, at: 0)])
        expect([0xA0, 0xA4], [.init(EVENT_TAP, 255, 102, at: 0)])
        expect([0x80, 0x1F], [.init(EVENT_LEVEL_SHARPNESS, 26, 242, at: 0)])
    }

    @Test func roundValuesAreTenthsQuartersAndSomeTwentieths() {
        let values: [UInt8] = [
            0, 26, 51, 77, 102, 128, 153, 179, 204, 230, 255, 64, 191, 13, 38, 242,
        ]
        for (nibble, value) in values.enumerated() {
            let code = [0xA0, UInt8(nibble) << 4 | UInt8(15 - nibble)]
            expect(code, [.init(EVENT_TAP, value, UInt32(values[15 - nibble]), at: 0)])
        }
    }

    @Test func eachSpecial() {
        expect([0xF0, 0x00], [.init(EVENT_END, 0, 0, at: 0)])
        expect([0xF0, 0x22, 0x80, 0x64], [.init(EVENT_TAP_GAIN, 128, 100, at: 0)])
        expect([0xF1, 0x64, 0x03], [.init(EVENT_WAIT, 0, 0, at: 100)])
    }

    @Test func endsInOneByteMore() {
        expect([0xF3, 0x64], [.init(EVENT_END, 0, 0, at: 100)])
        expect(
            [0xD1, 5, 9, 100, 0xF2],
            [.init(EVENT_LEVEL_RAMP, 9, 100, at: 5), .init(EVENT_END, 0, 0, at: 105)])
    }

    @Test func literalDeltasOfOneToThreeBytes() {
        expect([0xF1, 0x7F, 0x03], [.init(EVENT_WAIT, 0, 0, at: 127)])
        expect([0xF1, 0x80, 0x01, 0x03], [.init(EVENT_WAIT, 0, 0, at: 128)])
        expect([0xF1, 0xFF, 0xFF, 0x7F, 0x03], [.init(EVENT_WAIT, 0, 0, at: 0x1F_FFFF)])
    }

    @Test func deltasToTheEndsOfRunningRamps() {
        // The code contains a level ramp of 100 ticks and a sharpness ramp of 40 ticks, then deltas
        // to the end of each ramp, and a delta beyond both ramps.
        expect(
            [0xD0, 9, 100, 0xE1, 10, 9, 40, 0xB3, 1, 0xB2, 2, 0xB3, 3],
            [
                .init(EVENT_LEVEL_RAMP, 9, 100, at: 0), .init(EVENT_SHARPNESS_RAMP, 9, 40, at: 10),
                .init(EVENT_LEVEL, 1, 0, at: 50), .init(EVENT_LEVEL, 2, 0, at: 50),
                .init(EVENT_LEVEL, 3, 0, at: 50),
            ])
    }

    @Test func valueSlotsAreFilledInTurnAndStartOver() {
        var code: [UInt8] = []
        for level in UInt8(1)...10 { code += [0xB0, level] }
        let decoded = DeviceEvents.decode(code + [0x00, 0x10, 0x70])
        #expect(decoded.suffix(3).map(\.first) == [9, 10, 8])
    }

    @Test func deltaSlotsAreFilledInTurnAndStartOver() {
        var code: [UInt8] = []
        for delta in UInt8(1)...13 { code += [0xF1, delta, 0x03] }
        let decoded = DeviceEvents.decode(code + [0x04, 0x05, 0x0F])
        let last = Array(decoded.suffix(4).map(\.tick))
        #expect(zip(last.dropFirst(), last).map { $0 - $1 } == [13, 2, 12])
    }

    @Test func freshValueSlotsHoldTapsOfNothingAndALevelOfNothing() {
        for slot in UInt8(0)...6 { expect([slot << 4], [.init(EVENT_TAP, 0, 0, at: 0)]) }
        expect([0x70], [.init(EVENT_LEVEL, 0, 0, at: 0)])
    }

    @Test func freshDeltaSlotsHoldRoundTimes() {
        let milliseconds: [UInt32] = [50, 30, 20, 40, 60, 400, 150, 500, 250, 10, 100, 200]
        for (slot, time) in milliseconds.enumerated() {
            expect([0x70 | UInt8(4 + slot)], [.init(EVENT_LEVEL, 0, 0, at: time * 4)])
        }
    }

    @Test func onlyDurationsOfSixteenBitsEnterAValueSlot() {
        let decoded = DeviceEvents.decode([
            0xD0, 1, 0xFF, 0xFF, 3, 0xD0, 2, 0x80, 0x80, 4, 0x00, 0x10,
        ])
        #expect(decoded.map(\.first) == [1, 2, 1, 0])
        #expect(decoded.map(\.second) == [0xFFFF, 0x1_0000, 0xFFFF, 0])
    }

    @Test func deltasOfZeroAndOfMoreThanSixteenBitsEnterNoSlot() {
        let code: [UInt8] = [0xF1, 0, 3, 0xF1, 0x80, 0x80, 4, 3, 0xF1, 7, 3, 0x04]
        #expect(DeviceEvents.decode(code).map(\.tick) == [0, 65_536, 65_543, 65_550])
    }

    /// The code contains five levels from 1 to 5. The interval before each level, in ticks, is ten
    /// times the value of the level.
    private static let five: [UInt8] = (1...5).flatMap { [0xB1, $0 * 10, $0] as [UInt8] }

    @Test(arguments: 1...5)
    func aCopyRepeatsEventsWithTheirDeltas(distance: Int) {
        // The code copies 15 events. The code begins with F4, and the high bits of the length are
        // 1.
        let decoded = DeviceEvents.decode(Self.five + [0xF4, 0x20 | UInt8(distance - 1)])
        let copied: [UInt8] = (0..<15).map { UInt8(6 - distance + $0 % distance) }
        #expect(decoded.dropFirst(5).map(\.first) == copied)
        #expect(decoded.last?.tick == 150 + copied.reduce(0) { $0 + UInt32($1) * 10 })
    }

    @Test(arguments: [(0xF4, 0x00, 3), (0xFF, 0x00, 14), (0xF4, 0x20, 15), (0xFF, 0xE0, 98)])
    func aCopySaysItsLengthInTwoParts(head: UInt8, source: UInt8, count: Int) {
        let decoded = DeviceEvents.decode([0xB1, 4, 9, head, source])
        #expect(decoded.count == 1 + count)
        #expect(decoded.last == .init(EVENT_LEVEL, 9, 0, at: UInt32(4 * (1 + count))))
    }

    @Test func aCopyReachesAsFarAsTheHistoryAndEntersIt() {
        // The code contains 40 levels. The levels use two slots in turn, except for the ninth
        // level, which is 32 positions before the end.
        var code: [UInt8] = [0xB0, 1, 0xB0, 2, 0xB0, 3]
        for index in 3..<40 { code.append(index == 8 ? 0x20 : index % 2 == 0 ? 0x00 : 0x10) }
        let decoded = DeviceEvents.decode(code + [0xF4, 0x1F, 0xF4, 0x02])
        #expect(decoded.dropFirst(40).map(\.first) == [3, 2, 1, 3, 2, 1])
    }

    @Test func aCopySpeaksOfTheSlotsAndRampEndsOfTheMoment() {
        // Slot 0 is refilled before it is copied, and a delta to a ramp's end refers to the ramp
        // that is running at that time.
        var code: [UInt8] = [0xD0, 9, 100, 0xB2, 7, 0xB0, 1]
        for level in UInt8(2)...7 { code += [0xB0, level] }
        let decoded = DeviceEvents.decode(code + [0xF4, 0x08])
        #expect(decoded.dropFirst(9).map(\.kind) == [EVENT_LEVEL, EVENT_LEVEL, EVENT_LEVEL])
        #expect(decoded.dropFirst(9).map(\.first) == [7, 7, 1])
        #expect(decoded.last?.tick == 100)
    }

    @Test func whatNoSlotHoldsDoesNotEnterTheHistory() {
        // The code contains a wait, a gain, a long ramp, a long delta and a literal delta of 0, and
        // then a copy of the event before them.
        let others: [UInt8] = [
            0xF1, 3, 0x03, 0xF0, 0x22, 7, 0, 0xD0, 2, 0x80, 0x80, 4, 0xB1, 0x80, 0x80, 4, 3, 0xB1,
            0, 4,
        ]
        let decoded = DeviceEvents.decode([0xB0, 1] + others + [0xF4, 0x00])
        #expect(decoded.suffix(3).map(\.first) == [1, 1, 1])
    }

    @Test func aCopyOfWhatNeverWasIsTheFirstSlotAtOnce() {
        expect([0xF4, 0x1F], [DeviceEvent](repeating: .init(EVENT_TAP, 0, 0, at: 0), count: 3))
    }

    @Test func anUnknownSpecialIsSkippedByItsLength() {
        for code in [1] + Array(UInt8(4)...15) {
            expect(
                [0xF0, 0xF0 | code] + [UInt8](repeating: 0x90, count: 15) + [0xB0, 7],
                [.init(EVENT_SKIPPED, 0, 0, at: 0), .init(EVENT_LEVEL, 7, 0, at: 0)])
        }
    }

    @Test func argumentsMoreThanASpecialKnowsAreSkipped() {
        expect(
            [0xF0, 0x52, 9, 8, 2, 3, 4, 0xB0, 7],
            [.init(EVENT_TAP_GAIN, 9, 8, at: 0), .init(EVENT_LEVEL, 7, 0, at: 0)])
    }

    @Test func aLiteralOfMoreThanThreeBytesSkipsTheEvent() {
        #expect(DeviceEvents.decode([0xD0, 9, 0xFF, 0xFF, 0xFF])[0].kind == EVENT_SKIPPED)
        #expect(DeviceEvents.decode([0xB1, 0xFF, 0xFF, 0xFF, 9])[0].kind == EVENT_SKIPPED)
    }

    @Test func aSpecialWithoutItsArgumentsIsSkipped() {
        for code in [0x12, 0x02] as [UInt8] {
            let decoded = DeviceEvents.decode([0xF0, code, 0xB0, 7, 0xB0, 8])
            #expect(decoded[0].kind == EVENT_SKIPPED)
        }
    }

    private func expect(
        _ code: [UInt8], _ events: [DeviceEvent], _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(DeviceEvents.decode(code) == events, sourceLocation: place)
    }
}
