// Tests of the writes to the chip that a stream causes. The tests check each write with a precision
// of 1 us (SPEC 6).
//
// A tap on the board's actuator lasts 5,882 us at sharpness 255 and 23,529 us at sharpness 0.

import BridgeLink
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct PlayingTests {
    static let sharp: BoardTime = 5_882
    static let dull: BoardTime = 23_529

    @Test func aTapIsDrivenForItsLengthAndThenTheChipRests() throws {
        let board = InProcessBoard.tested()
        let link = IdealLink(board)
        #expect(link.connect())
        let playback = try #require(link.play([0x90, 0xFF, 0x00, 0xF0, 0x00], limit: 2_000_000))
        #expect(try playback.outcome?.get() == .played)
        #expect(board.driveChanges.map(\.drive) == [255, 0])
        #expect(board.driveChanges[1].time - board.driveChanges[0].time == Self.dull)
        let progress = playback.progress
        #expect(progress.underruns == 0 && progress.lateEvents == 0 && progress.latest == 0)
        #expect(Bench(board).isAtRest())
    }

    @Test func theLengthOfATapFollowsItsSharpness() {
        for (sharpness, length) in [(0, 23_529), (255, 5_882), (128, 14_671)] as [(UInt8, Int64)] {
            expect([0x90, 200, sharpness, 0xF1, 0xFF, 0x01, 0x00], [(0, 200), (length, 0)])
        }
    }

    @Test func aTapInATapReplacesItFromThereOn() {
        // The stream contains a dull tap and, 10 ms later, a sharp tap that lasts 5,882 us.
        expect(
            [0x90, 200, 0, 0x91, 40, 100, 255, 0xF1, 0xFF, 0x01, 0x00],
            [(0, 200), (10_000, 100), (10_000 + Self.sharp, 0)])
    }

    @Test func aTapLiesOverARampThatRunsOn() {
        // The stream contains a ramp to 200 in 200 ms, with a sharp tap at 50 ms. When the tap
        // ends, the ramp has reached 56.
        let bench = Bench()
        let start = bench.play([0xD0, 200, 0xA0, 0x06, 0x91, 0xC8, 0x01, 255, 255, 0xF2])
        bench.run(to: start + 300_000)
        let levels = bench.playedLevels(from: start)
        let tap = levels.firstIndex { $0.value == 255 }!
        #expect(levels[tap].time == 50_000)
        #expect(levels[tap + 1] == LevelWrite(time: 50_000 + Self.sharp, value: 56))
        #expect(levels[tap - 1] == LevelWrite(time: 45_000, value: 45))
        #expect(levels[tap + 2] == LevelWrite(time: 60_882, value: 61))
        #expect(levels.last?.value == 0)
    }

    @Test func theTapGainMultipliesIntensities() {
        // The gain ramp from 255 to 55 lasts 100 ms. At 50 ms it has reached 155, and (200 * 155 +
        // 127) / 255 is 122.
        expect(
            [0xF0, 0x32, 55, 0x90, 0x03, 0x91, 0xC8, 0x01, 200, 255, 0xF1, 0xC8, 0x01, 0x03]
                + [0x90, 200, 255, 0xF1, 100, 0x00],
            [(50_000, 122), (55_882, 0), (100_000, 43), (105_882, 0)])
    }

    @Test func aTapGainOfNothingIsAJump() {
        expect(
            [0xF0, 0x22, 128, 0, 0x91, 40, 255, 255, 0xF1, 100, 0x00],
            [(10_000, 128), (15_882, 0)])
    }

    @Test func levelsJumpAtTheirTicks() {
        expect(
            [0xB0, 100, 0xB1, 3, 200, 0xC1, 5, 50, 9, 0xB1, 1, 50, 0xF1, 7, 0x00],
            [(0, 100), (750, 200), (2_000, 50), (4_000, 0)])
    }

    @Test(
        arguments: [(255, 100), (255, 1_000), (255, 20_000), (3, 400), (200, 7)] as [(UInt8, Int)])
    func aRampHasItsValueAtEachStep(level: UInt8, ticks: Int) {
        // The stream contains a ramp that rises in `ticks` ticks and falls again in the same time.
        let duration = [
            UInt8(ticks & 0x7F | 0x80), UInt8(ticks >> 7 & 0x7F | 0x80), UInt8(ticks >> 14),
        ]
        let bench = Bench()
        let start = bench.play([0xD0, level] + duration + [0xD2, 0] + duration + [0xF2])
        let span = BoardTime(ticks) * 250
        bench.run(to: start + 2 * span + 50_000)
        let levels = bench.playedLevels(from: start)
        for write in levels where write.time < 2 * span {
            let moved = Double(span - abs(span - write.time)) / Double(span)
            #expect(write.value == UInt8((Double(level) * moved + 0.5).rounded(.down)))
        }
        for (write, next) in zip(levels, levels.dropFirst()) where next.time < 2 * span {
            let change = abs(Int(next.value) - Int(write.value))
            #expect(next.time - write.time <= 5_000 || change <= 1, "\(write) \(next)")
            #expect(change > 0)
        }
        #expect(levels.last { $0.time <= span }?.value == level)
        #expect(levels.last { $0.time <= 2 * span }?.value == 0)
    }

    @Test func aRampContinuesFromWhereTheLastOneWas() {
        // The stream contains a ramp to 200 in 20 ms and, at 10 ms, a ramp to 0 in 10 ms.
        expect(
            [0xD0, 200, 80, 0xD1, 40, 0, 40, 0xF2],
            [(5_000, 50), (10_000, 100), (15_000, 50), (20_000, 0)])
    }

    @Test func theEndCutsARampButNotATap() {
        // The stream contains a level, a dull tap at 10 ms, and END at 15 ms. The tap plays to its
        // end.
        let bench = Bench()
        let start = bench.play([0xB0, 100, 0x91, 40, 250, 0, 0xF1, 20, 0x00])
        bench.run(to: start + 100_000)
        #expect(
            bench.playedLevels(from: start).prefix(3) == [
                LevelWrite(time: 0, value: 100), LevelWrite(time: 10_000, value: 250),
                LevelWrite(time: 10_000 + Self.dull, value: 0),
            ])
        #expect(bench.streamStatus().state == .ended)
    }

    @Test func theChipComesToRestInStagesAfterTheEnd() {
        let bench = Bench()
        let start = bench.play([0xB0, 100, 0xF1, 40, 0x00])
        bench.run(to: start + 80_000)
        let after = bench.board.transactions.drop { $0.start < start + 10_000 }
        let bytes = after.map(\.bytes).filter { $0[1] <= 0x02 && $0 != [0xB4, 0x01, 0xB5, 0x05] }
        // The expected transfers are: level 0 as an event and a check of this level; level 0 again
        // with read-back; after the brake window, standby with read-back and a check of the level.
        #expect(
            bytes == [
                [0xB4, 0x02, 0], [0xB4, 0x02, 0xB5, 0], [0xB4, 0x02, 0], [0xB4, 0x02, 0xB5, 0],
                [0xB4, 0x01, 0x45],
                [0xB4, 0x01, 0xB5, 0x45], [0xB4, 0x02, 0xB5, 0],
            ])
        let standby = after.first { $0.bytes == [0xB4, 0x01, 0x45] }!
        let brake: BoardTime = 29_000
        #expect((brake...brake + 1_500).contains(standby.start - (start + 10_000)))
        #expect(bench.actuatorStatus().state == .atRest)
    }

    @Test func twoPatternsPlayOneAfterTheOther() {
        let bench = Bench()
        for _ in 0..<2 {
            let start = bench.play([0x90, 200, 255, 0xF1, 40, 0x00])
            bench.run(to: start + 100_000)
            #expect(
                bench.playedLevels(from: start).prefix(2) == [
                    LevelWrite(time: 0, value: 200), LevelWrite(time: Self.sharp, value: 0),
                ])
            #expect(bench.isAtRest())
        }
        #expect(bench.status().faults.isEmpty)
    }

    @Test func aSecondStartIsRefusedAndAfterTheEndTheStreamMustBeOpenedAgain() {
        let bench = Bench()
        let start = bench.play([0xB0, 100, 0xF1, 0xC8, 0x01, 0x00])
        #expect(bench.start(at: start)?.code == .inUse)
        bench.run(to: start + 200_000)
        #expect(bench.streamStatus().state == .ended)
        #expect(bench.start(at: bench.now)?.code == .inUse)
        #expect(bench.isAtRest())
    }

    private func expect(
        _ events: [UInt8], _ levels: [(BoardTime, UInt8)],
        _ place: SourceLocation = #_sourceLocation
    ) {
        let bench = Bench()
        let start = bench.play(events)
        bench.run(to: start + 200_000)
        let expected = levels.map { LevelWrite(time: $0.0, value: $0.1) }
        #expect(
            Array(bench.playedLevels(from: start).prefix(levels.count)) == expected,
            sourceLocation: place)
        let last = bench.playedLevels(from: start).dropFirst(levels.count)
        #expect(last.allSatisfy { $0.value == 0 }, sourceLocation: place)
        #expect(bench.status().latest == 0, sourceLocation: place)
    }

    /// Checks OPEN messages with too much memory and with an actuator that belongs to another
    /// stream.
    @Test func aRejectedOpenChangesNothing() {
        let bench = Bench(.tested { ($0.actuators, $0.streams) = (2, 2) })
        bench.connect()
        let start = bench.play([0xB0, 120, 0xB1, 0xC0, 0x02, 90, 0xF1, 0xC0, 0x02, 0x00])
        bench.run(to: start + 20_000)
        #expect(bench.command(0x40, [0, 1, 0, 0xF4, 0x01])?.code == .memory)
        #expect(bench.command(0x40, [1, 3, 0, 0, 0])?.code == .inUse)
        bench.run(to: start + 300_000)
        let levels = bench.playedLevels(from: start)
        #expect(levels.prefix(3).map(\.value) == [120, 90, 0])
        #expect(levels.prefix(3).map(\.time) == [0, 80_000, 160_000])
    }
}
