// Tests of a stream that runs out of events without END and continues when the board receives more
// events (SPEC 6).

import BridgeLink
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct UnderrunTests {
    @Test func theLevelIsZeroAtOnceAndTheHostIsInformed() {
        let bench = Bench()
        let start = bench.play([0xB0, 200, 0xF1, 0x90, 0x03, 0x03])
        bench.run(to: start + 300_000)
        let levels = bench.playedLevels(from: start)
        #expect(levels.map(\.value) == [200, 0])
        #expect((100_000...100_200).contains(levels[1].time))
        let notices = bench.frames(0xA2).compactMap(\.stream).filter { $0.state == .dry }
        #expect(notices.count == 1)
        let status = bench.status()
        #expect(status.underruns == 1)
        #expect(status.faults == .underrun)
        #expect(bench.actuatorStatus().state == .awake)
    }

    /// Checks each form of END, with the last byte received 20 ms after the other bytes.
    @Test(arguments: [[0xF0, 0x00], [0xF1, 0xA0, 0x06, 0x00], [0xF3, 0xA0, 0x06]] as [[UInt8]])
    func halfAnEndEndsNothing(end: [UInt8]) {
        let bench = Bench()
        let start = bench.play([0xD0, 200, 0xA0, 0x06] + end.dropLast())
        bench.run(to: start + 20_000)
        #expect(bench.streamStatus().state == .playing)
        bench.append(Array(end.suffix(1)))
        bench.run(to: start + 190_000)
        #expect(bench.streamStatus().state == (end == [0xF0, 0x00] ? .ended : .playing))
        bench.run(to: start + 300_000)
        #expect(bench.streamStatus().state == .ended && bench.status().underruns == 0)
    }

    @Test func aTapThatSoundsEndsFirstAndThenTheLevelIsZero() {
        // The stream contains level 200 and, as the last event, a tap at 100 ms, whose end has
        // already been rendered ahead.
        for (sharpness, length) in [(255, 5_882), (0, 23_529)] as [(UInt8, BoardTime)] {
            let bench = Bench()
            let start = bench.play([0xB0, 200, 0x91, 0x90, 0x03, 255, sharpness])
            bench.run(to: start + 300_000)
            #expect(
                bench.playedLevels(from: start) == [
                    LevelWrite(time: 0, value: 200), LevelWrite(time: 100_000, value: 255),
                    LevelWrite(time: 100_000 + length, value: 0),
                ])
            #expect(bench.status().underruns == 1)
        }
    }

    @Test func aRampRunsToItsEndBeforeTheStreamIsDry() {
        let bench = Bench()
        let start = bench.play([0xD0, 100, 0x90, 0x03])
        bench.run(to: start + 99_000)
        #expect(bench.streamStatus().state == .playing)
        bench.run(to: start + 150_000)
        let levels = bench.playedLevels(from: start)
        #expect(levels.contains(LevelWrite(time: 100_000, value: 100)))
        #expect(levels.last?.value == 0)
        #expect(bench.streamStatus().state == .dry)
    }

    @Test func anUnfinishedEventIsAnUnderrunToo() {
        let bench = Bench()
        let start = bench.play([0xB0, 200, 0xF1, 0x90, 0x03, 0x03, 0x91, 40, 255])
        bench.run(to: start + 200_000)
        #expect(bench.streamStatus().state == .dry)
        bench.append([255, 0xF1, 0xFF, 0x7F, 0x00])
        #expect(bench.streamStatus().state == .playing)
        #expect(bench.streamStatus().events == 3)
        #expect(bench.status().skippedTaps == 1)
    }

    @Test func whatIsOverdueIsJoinedNotReplayed() {
        // The stream runs out at 100 ms. At 300 ms, the board receives the following events: taps
        // at 120, 140, 160 and 180 ms, a ramp from 0 to 200 between 200 and 600 ms, and a tap at
        // 500 ms.
        let bench = Bench()
        let start = bench.play([0xB0, 50, 0xF1, 0x90, 0x03, 0x03])
        bench.run(to: start + 300_000)
        let forgotten = bench.levels.count
        bench.append(
            [0x91, 80, 255, 255, 0xF4, 0x00]  // 120 to 180 ms
                + [0xB5, 0, 0xD0, 200, 0xC0, 0x0C]  // from 200 ms to 600 ms
                + [0x91, 0xB0, 0x09, 240, 255, 0xF2])  // 500 ms; END at 600 ms
        bench.run(to: start + 700_000)
        let levels = bench.levels.dropFirst(forgotten)
            .map { LevelWrite(time: $0.time - start, value: $0.value) }
        let first = levels[0]
        #expect(first.time < 302_500)
        #expect(abs(Double(first.value) - Double(first.time - 200_000) / 2_000) <= 0.6)
        #expect(levels.filter { $0.value > 200 } == [LevelWrite(time: 500_000, value: 240)])
        for (write, next) in zip(levels, levels.dropFirst()) where next.value != 0 {
            #expect(next.time - write.time > 100)
        }
        let status = bench.status()
        #expect(status.skippedTaps == 4)
        #expect(status.underruns == 1)
        #expect(bench.streamStatus().state == .ended)
    }

    @Test func anEventThatComesJustInTimeReplacesWhatWasRenderedAhead() {
        // The stream contains a ramp to 200 in 200 ms. A level is due at 184 ms. The board receives
        // the level 3 ms before this time.
        let bench = Bench()
        let start = bench.play([0xD0, 200, 0xA0, 0x06])
        bench.run(to: start + 180_000)
        bench.send(bench.nextCommand(0x44, [0, 0, 0xB1, 0xE0, 0x05, 40, 0xF1, 0x90, 0x03, 0x00]))
        bench.run(to: start + 400_000)
        let levels = bench.playedLevels(from: start)
        #expect(
            levels.drop { $0.time < 180_000 }.prefix(3) == [
                LevelWrite(time: 180_000, value: 180), LevelWrite(time: 184_000, value: 40),
                LevelWrite(time: 284_000, value: 0),
            ])
    }

    @Test func aTapThatComesJustInTimeReplacesTheTapThatSounds() {
        // The stream contains a tap of 23.5 ms at 100 ms. The second tap is due 3 ms before the end
        // of the first tap. The board receives the second tap 5 ms before the end of the first tap.
        let bench = Bench()
        let start = bench.play([0xB0, 30, 0x91, 0x90, 0x03, 200, 0])
        bench.run(to: start + 118_000)
        bench.send(bench.nextCommand(0x44, [0, 0, 0x91, 82, 250, 255, 0xF1, 0x90, 0x03, 0x00]))
        bench.run(to: start + 300_000)
        let levels = bench.playedLevels(from: start)
        #expect(
            levels.prefix(4) == [
                LevelWrite(time: 0, value: 30), LevelWrite(time: 100_000, value: 200),
                LevelWrite(time: 120_500, value: 250), LevelWrite(time: 126_382, value: 30),
            ])
        #expect(levels.last?.value == 0)
    }

    @Test func aRampRenderedToItsEndContinuesAfterATapThatComesJustInTime() {
        // The stream contains a ramp to 200 in 200 ms. At 190.5 ms, the board receives a tap that
        // lasts from 192 ms to 197.9 ms.
        let bench = Bench()
        let start = bench.play([0xD0, 200, 0xA0, 0x06])
        bench.run(to: start + 190_500)
        bench.send(
            bench.nextCommand(
                0x44, [0, 0, 0x91, 0x80, 0x06, 250, 255, 0xF1, 0x90, 0x03, 0x00]))
        bench.run(to: start + 400_000)
        #expect(
            bench.playedLevels(from: start).drop { $0.time < 192_000 }.prefix(4) == [
                LevelWrite(time: 192_000, value: 250), LevelWrite(time: 197_882, value: 198),
                LevelWrite(time: 200_000, value: 200), LevelWrite(time: 292_000, value: 0),
            ])
    }

    @Test func aStreamWithoutEventsIsDryAtItsStart() {
        let bench = Bench()
        let start = bench.play([])
        bench.run(to: start - 5_000)
        #expect(bench.streamStatus().state == .playing)
        bench.run(to: start + 5_000)
        #expect(bench.streamStatus().state == .dry)
        #expect(bench.drive == 0)
    }

    /// Checks the maximum dry time in SPEC 6, `DRY_MAX_US`, in a simulation of several hours.
    @Test func aStreamThatIsDryForAMinuteIsClosedAndReportsNoMore() {
        let bench = Bench.connected()
        bench.run(to: bench.play([0xB0, 200, 0xB1, 40, 100]) + 59_000_000)
        #expect(bench.streamStatus().state == .dry)
        bench.run(for: 1_100_000)
        bench.forget()
        #expect(bench.streamStatus().state == .closed)
        #expect(bench.isAtRest())
        #expect(bench.command(0x44, [0, 0, 0xB1, 40, 90])?.code == .noStream)
        bench.run(for: 100_000)
        #expect(bench.levels.allSatisfy { $0.value == 0 })
    }
}
