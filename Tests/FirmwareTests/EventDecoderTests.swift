// The event code at the device (SPEC 7), byte by byte.

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
    }

    @Test func eachSpecial() {
        expect([0xF0, 0x00], [.init(EVENT_END, 0, 0, at: 0)])
        expect([0xF0, 0x22, 0x80, 0x64], [.init(EVENT_TAP_GAIN, 128, 100, at: 0)])
        expect([0xF1, 0x64, 0x03], [.init(EVENT_WAIT, 0, 0, at: 100)])
    }

    @Test func literalDeltasOfOneToThreeBytes() {
        expect([0xF1, 0x7F, 0x03], [.init(EVENT_WAIT, 0, 0, at: 127)])
        expect([0xF1, 0x80, 0x01, 0x03], [.init(EVENT_WAIT, 0, 0, at: 128)])
        expect([0xF1, 0xFF, 0xFF, 0x7F, 0x03], [.init(EVENT_WAIT, 0, 0, at: 0x1F_FFFF)])
    }

    @Test func aTapDifferenceIsAddedToTheLastTapModulo256() {
        expect(
            [0x90, 250, 4, 0xA0, 0xF7, 0xA0, 0x08, 0xA0, 0x80],
            [
                .init(EVENT_TAP, 250, 4, at: 0), .init(EVENT_TAP, 1, 0, at: 0),
                .init(EVENT_TAP, 249, 0, at: 0), .init(EVENT_TAP, 249, 224, at: 0),
            ])
    }

    @Test func deltasToTheEndsOfRunningRamps() {
        // Level ramp of 100 ticks, sharpness ramp of 40; then up to each end, and past them.
        expect(
            [0xD0, 9, 100, 0xE1, 10, 9, 40, 0xB3, 1, 0xF2, 0x03, 0xF3, 0x03],
            [
                .init(EVENT_LEVEL_RAMP, 9, 100, at: 0), .init(EVENT_SHARPNESS_RAMP, 9, 40, at: 10),
                .init(EVENT_LEVEL, 1, 0, at: 50), .init(EVENT_WAIT, 0, 0, at: 50),
                .init(EVENT_WAIT, 0, 0, at: 50),
            ])
    }

    @Test func valueSlotsAreFilledInTurnAndStartOver() {
        var code: [UInt8] = []
        for level in UInt8(1)...10 { code += [0xB0, level] }
        let decoded = DeviceEvents.decode(code + [0x00, 0x10, 0x80])
        #expect(decoded.suffix(3).map(\.first) == [10, 2, 9])
    }

    @Test func deltaSlotsAreFilledInTurnAndStartOver() {
        var code: [UInt8] = []
        for delta in UInt8(1)...13 { code += [0xF1, delta, 0x03] }
        let decoded = DeviceEvents.decode(code + [0xF4, 0x03, 0xF5, 0x03, 0xFF, 0x03])
        let last = Array(decoded.suffix(4).map(\.tick))
        #expect(zip(last.dropFirst(), last).map { $0 - $1 } == [13, 2, 12])
    }

    @Test func emptySlotsHoldATapOfNothingAndNoTime() {
        expect([0x5F], [.init(EVENT_TAP, 0, 0, at: 0)])
    }

    @Test func onlyDurationsOfSixteenBitsEnterAValueSlot() {
        let decoded = DeviceEvents.decode([
            0xD0, 1, 0xFF, 0xFF, 3, 0xD0, 2, 0x80, 0x80, 4, 0x00, 0x10,
        ])
        #expect(decoded.map(\.first) == [1, 2, 1, 0])
        #expect(decoded.map(\.second) == [0xFFFF, 0x1_0000, 0xFFFF, 0])
    }

    @Test func deltasOfZeroAndOfMoreThanSixteenBitsEnterNoSlot() {
        let code: [UInt8] = [0xF1, 0, 3, 0xF1, 0x80, 0x80, 4, 3, 0xF1, 7, 3, 0xF4, 3]
        #expect(DeviceEvents.decode(code).map(\.tick) == [0, 65_536, 65_543, 65_550])
    }

    @Test(arguments: 1...4)
    func aRunRepeatsTheLastEventsWithTheirDeltas(events: Int) {
        var code: [UInt8] = []
        for index in UInt8(1)...4 { code += [0xB1, index, index * 10] }
        let decoded = DeviceEvents.decode(code + [0xF0, 0x11, UInt8(events - 1) << 6 | 2])
        let repeated = (0..<3).flatMap { _ in (5 - events...4).map { UInt8($0) * 10 } }
        #expect(decoded.dropFirst(4).map(\.first) == repeated)
        #expect(decoded.last?.tick == 10 + 3 * UInt32((5 - events...4).reduce(0, +)))
    }

    @Test func aRunOfManyTakesASecondByte() {
        // 16,384 times one event of one tick.
        let decoded = DeviceEvents.decode([0xF1, 1, 4, 0xF0, 0x21, 0x3F, 0xFF])
        #expect(decoded.count == 16_385)
        #expect(decoded.last?.tick == 16_385)
    }

    @Test func aRunChangesNeitherSlotsNorTheLastEvents() {
        // A B C D, then C D again, then a run over all four: A B C D, not C D C D.
        let code: [UInt8] = [0xB0, 1, 0xB0, 2, 0xB0, 3, 0xB0, 4]
        let runs: [UInt8] = [0xF0, 0x11, 0x40, 0xF0, 0x11, 0xC0, 0x00]
        #expect(DeviceEvents.decode(code + runs).map(\.first) == [1, 2, 3, 4, 3, 4, 1, 2, 3, 4, 1])
    }

    @Test func aRunLeavesTheLastTapForDifferences() {
        let code: [UInt8] = [0x90, 100, 0, 0x90, 50, 0, 0xF0, 0x11, 0x41, 0xA0, 0x98]
        #expect(DeviceEvents.decode(code).last == .init(EVENT_TAP, 51, 0, at: 0))
    }

    @Test func aRunOverTooFewEventsIsSkippedAndKeepsItsPlace() {
        // The skipped run is the second of the last events, so a run over two holds it as a wait.
        expect(
            [0xB1, 5, 1, 0xF0, 0x11, 0xC0, 0xF0, 0x11, 0x40],
            [
                .init(EVENT_LEVEL, 1, 0, at: 5), .init(EVENT_SKIPPED, 0, 0, at: 5),
                .init(EVENT_LEVEL, 1, 0, at: 10), .init(EVENT_WAIT, 0, 0, at: 10),
            ])
    }

    @Test func aRunAfterASkippedEventRepeatsAWait() {
        // An unknown special with a delta of 3, then the run over it.
        expect(
            [0xF1, 3, 0x1F, 0xAA, 0xF0, 0x11, 0x00],
            [.init(EVENT_SKIPPED, 0, 0, at: 3), .init(EVENT_WAIT, 0, 0, at: 6)])
    }

    @Test func anUnknownSpecialIsSkippedByItsLength() {
        for code in UInt8(4)...15 {
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
        for code in [0x01, 0x12, 0x02] as [UInt8] {
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
