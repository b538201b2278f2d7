// Tests of the due times of events (SPEC 5): scales, times in the past, and the wrap-around of the
// clock.

import BridgeLink
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct ScaleTests {
    @Test(
        arguments: [252 << 24 | 0x80_0000, 250 << 24 | 1, 249 << 24 | 0xFF_FFFF, 37 << 24]
            as [UInt32])
    func jumpsComeToTheMicrosecondAtAnyScale(scale: UInt32) {
        // The stream contains 60 jumps at intervals of 77 ticks.
        let bench = Bench()
        let code: [UInt8] = [0xB1, 77, 1, 0xB4, 2, 0xFB, 0x81, 0xF3, 77]
        let start = bench.play(code, scale: scale)
        bench.run(to: start + 61 * 77 * 256)
        let expected = (1...60).map { index in
            let time: BoardTime = (BoardTime(index) * 77 * BoardTime(scale)) >> 24
            return LevelWrite(time: time, value: index % 2 == 0 ? 2 : 1)
        }
        #expect(Array(bench.playedLevels(from: start).prefix(60)) == expected)
        #expect(bench.status().latest == 0)
    }

    @Test func aScaleTakesEffectFromItsTickOnWithoutAJump() {
        // The stream contains a jump every 40 ticks. From tick 100 on, a tick lasts 200.25 us.
        let bench = Bench()
        let start = bench.play([0xB1, 40, 1, 0xB4, 2, 0xFD, 0x01, 0xF3, 40])
        let scale: UInt32 = 200 << 24 | 0x40_0000
        #expect(bench.command(0x43, [0] + UInt32(100).bytes + scale.bytes) == nil)
        bench.run(to: start + 200_000)
        let times = (1...12).map { index -> BoardTime in
            let tick = BoardTime(index) * 40
            return tick <= 100 ? tick * 250 : 25_000 + (tick - 100) * 80_100 / 400
        }
        #expect(bench.playedLevels(from: start).prefix(12).map(\.time) == times)
    }

    @Test func aScaleForATickThatIsPastTakesEffectAtTheNewestEvent() {
        // The stream contains jumps at ticks 40 and 400. At 50 ms, the last event that has been
        // executed is the jump at tick 40.
        let bench = Bench()
        let start = bench.play([0xB1, 40, 1, 0xB1, 0xE8, 0x02, 2, 0xF3, 40])
        bench.run(to: start + 50_000)
        #expect(bench.command(0x43, [0] + UInt32(3).bytes + UInt32(200 << 24).bytes) == nil)
        bench.run(to: start + 150_000)
        let times: [BoardTime] = [10_000, 82_000]  // 360 ticks of 200 us later
        #expect(bench.playedLevels(from: start).prefix(2).map(\.time) == times)
    }

    @Test func theDeviceClockWrapsInTheMiddleOfARampAndOfACopy() {
        // The stream starts 60 s after boot. The stream contains a ramp of 200 ms across the
        // clock's wrap-around, with copied taps every 10 ms.
        let bench = Bench()
        bench.connect()
        bench.run(to: 59_860_000)
        bench.load([0xD0, 200, 0xA0, 0x06, 0x91, 40, 250, 255, 0xF8, 0x20, 0xF1, 40, 0x00])
        bench.forget()
        let start: BoardTime = 59_900_000
        #expect(bench.board.deviceClock(at: start) > 0xFFFE_0000)
        #expect(bench.start(at: start) == nil)
        bench.run(to: start + 300_000)
        let levels = bench.playedLevels(from: start)
        let taps = levels.filter { $0.value == 250 }
        #expect(taps.map(\.time) == Array(stride(from: 10_000, through: 200_000, by: 10_000)))
        for tap in taps.dropLast() {
            let end = tap.time + 5_882
            let value = UInt8((Double(end) / 1_000 + 0.5).rounded(.down))
            #expect(levels.contains(LevelWrite(time: end, value: value)))
        }
        #expect(bench.board.deviceClock(at: bench.now) < 0x1_0000_0)
        #expect(bench.status().faults.isEmpty)
    }

    @Test func scalesOutsideTheirRangeAreRefusedWithTheNearestOne() {
        let bench = Bench()
        bench.connect()
        bench.load([])
        let low = bench.start(at: bench.now, scale: 1 << 20 - 1)
        #expect(low == Reject(type: .start, code: .range, offset: 7, limit: 1 << 20))
        let high = bench.start(at: bench.now, scale: 255 << 24 + 1)
        #expect(high == Reject(type: .start, code: .range, offset: 7, limit: 255 << 24))
        let scale = bench.command(0x43, [0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(scale == Reject(type: .scale, code: .range, offset: 5, limit: 1 << 20))
        #expect(bench.command(0x43, [0, 0, 0, 0, 0] + UInt32(255 << 24).bytes) == nil)
    }

    @Test func aStartOfAnotherGenerationIsRefusedWithThePresentOne() {
        let bench = Bench()
        bench.connect()
        bench.load([0xB0, 9, 0xF0, 0x00])
        let time = bench.board.deviceClock(at: bench.now)
        let reject = bench.command(0x42, [0, 1, 0] + time.bytes + (UInt32(250) << 24).bytes)
        #expect(reject?.code == .range && reject?.offset == 1 && reject?.limit == 0)
    }

    @Test func aStartTooFarFromNowIsRefused() {
        for (ahead, isGood) in [
            (1 << 30 - 100_000, true), (1 << 30 + 100_000, false), (-(1 << 30) + 100_000, true),
            (-(1 << 30) - 100_000, false), (1 << 31, false),
        ] as [(Int64, Bool)] {
            let bench = Bench()
            bench.connect()
            bench.load([0xB0, 9, 0xF0, 0x00])
            let reject = bench.start(at: bench.now + ahead)
            #expect((reject == nil) == isGood, "\(ahead)")
            #expect(
                reject.map { [$0.code == .time, $0.offset == 3] } ?? []
                    == (isGood ? [] : [true, true]))
        }
    }

    @Test func aRelativeStartCountsFromItsLastByte() {
        let bench = Bench()
        bench.connect()
        bench.load([0xB0, 9, 0xF1, 100, 0x00])
        bench.forget()
        let bytes = bench.nextCommand(
            0x42, [0, 0, 1] + UInt32(20_000).bytes + UInt32(250 << 24).bytes)
        let arrival = bench.now + BoardTime(bytes.count) * 40
        bench.send(bytes)
        bench.run(for: 60_000)
        #expect(bench.levels.contains(LevelWrite(time: arrival + 20_000, value: 9)))
    }

    @Test func aStartInThePastSkipsItsTapsAndJoinsItsRamps() {
        // The stream starts 500 ms late. The taps at 0 and 100 ms are skipped, and the ramp of 1 s
        // begins at level 100.
        let bench = Bench()
        bench.connect()
        bench.load(
            [0x90, 250, 0, 0xD0, 200, 0xA0, 0x1F, 0x91, 0x90, 0x03, 240, 0, 0xF2])
        bench.forget()
        let start = bench.now - 500_000
        #expect(bench.start(at: start) == nil)
        bench.run(for: 700_000)
        let first = bench.playedLevels(from: start).first { $0.value != 0 }!
        #expect(abs(Double(first.value) - Double(first.time) / 5_000) <= 0.6)
        #expect(!bench.levels.contains { $0.value == 250 || $0.value == 240 })
        let status = bench.status()
        #expect(status.skippedTaps == 2)
        #expect(status.lateEvents == 1)
        #expect(status.faults == [.tapSkipped, .late])
    }

    @Test(arguments: [19_000, 21_500] as [BoardTime])
    func aTapIsPlayedLateUpToTwentyMilliseconds(lateness: BoardTime) {
        let bench = Bench()
        bench.connect()
        bench.load([0x90, 250, 255, 0xF1, 0xC8, 0x01, 0x00])
        bench.run(for: 20_000)
        bench.forget()
        let bytes = bench.nextCommand(
            0x42,
            [0, 0, 0] + bench.board.deviceClock(at: bench.now + 760 - lateness).bytes
                + UInt32(250 << 24).bytes)
        #expect(bytes.count == 19)  // 760 us of transmission time
        bench.send(bytes)
        bench.run(for: 100_000)
        let isPlayed = lateness < 20_000
        #expect(bench.levels.contains { $0.value == 250 } == isPlayed)
        #expect(bench.status().skippedTaps == (isPlayed ? 0 : 1))
        if isPlayed {
            let length = bench.board.driveChanges[1].time - bench.board.driveChanges[0].time
            #expect((5_000...5_900).contains(length))
        }
    }
}
