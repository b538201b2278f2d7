// Tests of REVISE, which replaces the running segment with a new segment at a device time (SPEC 6).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct ReviseTests {
    /// Starts a level of 200 for 25 s. Plays a stream. Returns the bench and the start time.
    private func held() -> (Bench, BoardTime) {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x8D, 0x06, 0x00])
        return (bench, start)
    }

    @Test func atItsTimeTheNewSegmentReplacesTheOldOne() {
        let (bench, start) = held()
        bench.run(to: start + 50_000)
        let events: [UInt8] = [0xB1, 40, 90, 0xF1, 100, 0x00]
        #expect(bench.revise(generation: 1, at: start + 100_000, level: 60, events) == nil)
        #expect(bench.streamStatus().generation == 1)
        bench.run(to: start + 300_000)
        #expect(
            bench.playedLevels(from: start).prefix(4) == [
                LevelWrite(time: 0, value: 200), LevelWrite(time: 100_000, value: 60),
                LevelWrite(time: 110_000, value: 90), LevelWrite(time: 135_000, value: 0),
            ])
        let stream = bench.streamStatus()
        #expect(stream.reviseTime == bench.board.deviceClock(at: start + 100_000))
        #expect(stream.position == 140)
        #expect(stream.state == .ended)
    }

    @Test func aTimeInThePastMeansNow() {
        let (bench, start) = held()
        bench.run(to: start + 50_000)
        #expect(bench.revise(generation: 1, at: start, level: 60, [0xF1, 40, 0x00]) == nil)
        let levels = bench.playedLevels(from: start)
        #expect(levels[1].value == 60)
        #expect((50_000...52_000).contains(levels[1].time))
        let time = bench.streamStatus().reviseTime
        #expect(bench.board.deviceClock(at: start + levels[1].time) &- time < 250)
    }

    @Test func aTimeInThePastMeansNowThoughTheRingIsFull() {
        // The jumps are so dense and so close to the horizon that no further jump can be rendered.
        let bench = Bench.connected()
        var code: [UInt8] = [0xB0, 200, 0xF1, 0xE0, 0x03, 0x03]  // 480 ticks, 120 ms
        for level in UInt8(1)...20 { code += [0xB1, 1, level] }
        let start = bench.play(code + [0xF1, 0x7F, 0x00])
        bench.run(to: start + 110_500)
        let sent = bench.now
        #expect(bench.revise(generation: 1, at: start, level: 60, [0xF1, 40, 0x00]) == nil)
        let level = bench.playedLevels(from: sent).first
        #expect(level?.value == 60)
        #expect(level!.time < 1_500)
    }

    @Test func anEarlierRevisionReplacesOneThatWaits() {
        let (bench, start) = held()
        bench.run(to: start + 20_000)
        #expect(
            bench.revise(generation: 1, at: start + 200_000, level: 60, [0xF1, 40, 0x00]) == nil)
        #expect(
            bench.revise(generation: 2, at: start + 100_000, level: 70, [0xF1, 40, 0x00]) == nil)
        bench.run(to: start + 300_000)
        #expect(bench.playedLevels(from: start).map(\.value).prefix(3) == [200, 70, 0])
        #expect(bench.streamStatus().generation == 2)
    }

    @Test func aLaterRevisionIsRefusedWhileOneWaits() {
        let (bench, start) = held()
        bench.run(to: start + 20_000)
        #expect(
            bench.revise(generation: 1, at: start + 100_000, level: 60, [0xF1, 40, 0x00]) == nil)
        let reject = bench.revise(generation: 2, at: start + 100_001, level: 70)
        let limit = bench.board.deviceClock(at: start + 100_000)
        #expect(reject == Reject(type: .revise, code: .pending, offset: 2, limit: limit))
        #expect(
            bench.revise(generation: 2, at: start + 100_000, level: 80, [0xF1, 40, 0x00]) == nil)
        bench.run(to: start + 200_000)
        #expect(bench.playedLevels(from: start).map(\.value).prefix(3) == [200, 80, 0])
    }

    @Test(arguments: [0, 2, 255] as [UInt8])
    func anyGenerationButTheNextIsRefused(generation: UInt8) {
        let (bench, start) = held()
        let reject = bench.revise(generation: generation, at: start, level: 1)
        #expect(reject == Reject(type: .revise, code: .range, offset: 1, limit: 1))
    }

    @Test func theGenerationWrapsAround() {
        let (bench, _) = held()
        for generation in 1...300 {
            let reject = bench.revise(
                generation: UInt8(truncatingIfNeeded: generation), at: bench.now, level: 50,
                [0xF1, 0xFF, 0x7F, 0x03])
            #expect(reject == nil)
        }
        #expect(bench.streamStatus().generation == 44)
        #expect(bench.drive == 50)
        bench.stop(id: 1)
        #expect(bench.runToRest(limit: 100_000))
    }

    @Test func aTapThatBeganBeforeSoundsToItsEnd() {
        // A dull tap plays at 100 ms, with a revision for 110 ms. In a second run, the revision is
        // for 122 ms, when the tap's end at 123.5 ms has already been rendered.
        for time in [110_000, 122_000] as [BoardTime] {
            let bench = Bench.connected()
            let start = bench.play([0xB0, 30, 0x91, 0x90, 0x03, 250, 0, 0xF1, 0x90, 0x03, 0x00])
            bench.run(to: start + 90_000)
            let sent = bench.revise(
                generation: 1, at: start + time, level: 60, [0xF1, 0x90, 0x03, 0x00])
            #expect(sent == nil)
            bench.run(to: start + 400_000)
            #expect(
                bench.playedLevels(from: start).prefix(4) == [
                    LevelWrite(time: 0, value: 30), LevelWrite(time: 100_000, value: 250),
                    LevelWrite(time: 123_529, value: 60),
                    LevelWrite(time: time + 100_000, value: 0),
                ])
        }
    }

    @Test func aTapThatWasRenderedButNotBegunIsTakenBack() {
        // A level at 102 ms and a dull tap at 104 ms are in the ring buffer when the board receives
        // a revision for 101 ms.
        let bench = Bench.connected()
        let start = bench.play(
            [0xB0, 30, 0xB1, 0x98, 0x03, 40, 0x91, 8, 250, 0, 0xF1, 0x90, 0x03, 0x00])
        bench.run(to: start + 97_000)
        bench.send(
            bench.nextCommand(
                0x45,
                [0, 1] + bench.board.deviceClock(at: start + 101_000).bytes
                    + [60, 0, 0xF1, 0x90, 0x03, 0x00]))
        bench.run(to: start + 400_000)
        #expect(
            bench.playedLevels(from: start).prefix(3) == [
                LevelWrite(time: 0, value: 30), LevelWrite(time: 101_000, value: 60),
                LevelWrite(time: 201_000, value: 0),
            ])
    }

    @Test func aTapInATapThatIsTakenBackLeavesTheFirstSounding() {
        // The stream contains dull taps at 100 and 107 ms. At 99 ms, the board receives a revision
        // for 105 ms.
        let bench = Bench.connected()
        let start = bench.play(
            [0xB0, 30, 0x91, 0x90, 0x03, 250, 0, 0x91, 28, 200, 0, 0xF1, 0x90, 0x03, 0x00])
        bench.run(to: start + 98_000)
        bench.send(
            bench.nextCommand(
                0x45,
                [0, 1] + bench.board.deviceClock(at: start + 105_000).bytes
                    + [60, 0, 0xF1, 0x90, 0x03, 0x00]))
        bench.run(to: start + 400_000)
        let levels = bench.playedLevels(from: start).prefix(4)
        #expect(levels.map(\.value) == [30, 250, 60, 0])
        #expect(levels[2].time >= 107_000)  // not cut at 105 ms
    }

    @Test func itsMemoryIsFreedAtItsTimeAndTotalsRestart() {
        let bench = Bench.connected()
        bench.load([0xB0, 200, 0xF1, 0xA0, 0x8D, 0x06, 0x00], memory: 64)
        let start = bench.now + 30_000
        bench.start(at: start)
        bench.append([UInt8](repeating: 0x0F, count: 50))
        bench.run(to: start + 20_000)
        // Of the 57 bytes sent, the first 7 have been decoded, so 14 bytes are free.
        let stream = bench.streamStatus()
        #expect(stream.eventLimit == 57 + 14)
        let reject = bench.revise(
            generation: 1, at: start + 100_000, level: 60, [UInt8](repeating: 0x0F, count: 15))
        #expect(reject == Reject(type: .revise, code: .credit, offset: 8, limit: 14))
        let good = bench.revise(generation: 1, at: start + 100_000, level: 60, [0xF1, 40, 0x00])
        #expect(good == nil)
        #expect(bench.acknowledge?.credits == [.init(stream: 0, generation: 1, eventLimit: 14)])
        bench.run(to: start + 120_000)
        #expect(bench.streamStatus().eventLimit == 64 + 3)
    }

    @Test func eventsOfAnOlderGenerationAreAcknowledgedAndDropped() {
        let (bench, start) = held()
        bench.revise(generation: 1, at: start + 100_000, level: 60, [])
        let rejects = bench.acknowledge?.rejects
        #expect(bench.command(0x44, [0, 0] + [0xB1, 20, 222]) == nil)
        #expect(bench.acknowledge?.nextSequence == bench.sequence)
        #expect(bench.acknowledge?.rejects == rejects)
        #expect(bench.acknowledge?.credits.first?.generation == 1)
        bench.command(0x44, [0, 1] + [0xF1, 40, 0x00])
        bench.run(to: start + 200_000)
        #expect(bench.playedLevels(from: start).map(\.value).prefix(3) == [200, 60, 0])
    }

    @Test func itStartsAnOpenStreamAtTheNominalTick() {
        let bench = Bench.connected()
        bench.load([])
        bench.forget()
        let time = bench.now + 40_000
        bench.revise(generation: 1, at: time, level: 60, [0xB1, 40, 90, 0xF1, 40, 0x00])
        bench.run(to: time + 200_000)
        #expect(
            bench.playedLevels(from: time).prefix(3) == [
                LevelWrite(time: 0, value: 60), LevelWrite(time: 10_000, value: 90),
                LevelWrite(time: 20_000, value: 0),
            ])
        #expect(bench.streamStatus().state == .ended)
    }

    @Test func itFillsADryStreamAndRestartsAnEndedOne() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 40, 0x03])
        bench.run(to: start + 100_000)
        #expect(bench.streamStatus().state == .dry)
        bench.revise(generation: 1, at: bench.now, level: 60, [0xF1, 40, 0x00])
        bench.run(for: 100_000)
        #expect(bench.streamStatus().state == .ended)
        #expect(bench.isAtRest())
        bench.forget()
        let time = bench.now + 20_000
        bench.revise(generation: 2, at: time, level: 70, [0xF1, 40, 0x00])
        bench.run(to: time + 200_000)
        #expect(bench.playedLevels(from: time).prefix(2).map(\.value) == [70, 0])
        #expect(bench.isAtRest())
        #expect(bench.status().underruns == 1)
    }

    @Test func duringTheBrakeItTakesTheChipUpAgain() {
        let (bench, start) = held()
        bench.revise(generation: 1, at: start + 50_000, level: 0, [0xF0, 0x00])
        bench.run(to: start + 65_000)
        #expect(bench.actuatorStatus().state == .comingToRest)
        bench.forget()
        let time = bench.now + 5_000
        bench.revise(generation: 2, at: time, level: 70, [0xF1, 40, 0x00])
        bench.run(to: time + 5_000)
        #expect(bench.drive == 70)
        #expect(!bench.writes.contains([0x01, 0x45]))  // never in standby
        #expect(bench.runToRest())
    }

    @Test func aStartIsRefusedWhileARevisionOfAnOpenStreamWaits() {
        let bench = Bench.connected()
        bench.load([])
        bench.revise(generation: 1, at: bench.now + 500_000, level: 60)
        #expect(bench.start(at: bench.now)?.code == .inUse)
    }
}
