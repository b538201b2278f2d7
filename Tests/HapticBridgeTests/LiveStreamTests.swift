// Tests, in simulated time, of the effects of players on the board's stream.

import BridgeLink
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBridge

@Suite struct LiveStreamTests {
    private let rig = LiveRig()

    private func start(_ pattern: HapticPattern) -> PlayerID {
        let player = rig.player(pattern)
        rig.perform(.start(at: 0), of: player)
        return player
    }

    /// Returns the number of microseconds from `time` until the level is first equal to `value`, or
    /// nil if the level never equals `value`.
    private func delay(from time: HostTime, to value: UInt8) -> Microseconds? {
        rig.levels(since: time).first { $0.value == value }.map { $0.time - time }
    }

    @Test func anIdleStreamKeepsTheActuatorAtRest() {
        rig.run(for: 3_000_000)
        #expect(rig.levels(since: 0).allSatisfy { $0.value == 0 })
        #expect(rig.board.transactions.mode.map { $0 & 0x40 } == 0x40)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aStartIsFeltWithinSixMilliseconds() throws {
        let time = rig.now
        let player = start(.tap(1))
        rig.run(for: 500_000)
        #expect(try #require(delay(from: time, to: 255)) < 6_000)
        #expect(rig.level(at: rig.now) == 0)
        #expect(rig.finished.map(\.player) == [player])
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aStreamThatTheBoardClosesAgainAndAgainFails() {
        rig.board.short(outputsOfActuator: 0)
        _ = start(.held(0.6))
        rig.run(for: 10_000_000)
        #expect(rig.live.failure == .closedByDevice([]))
        let attempts = rig.levels(since: 0).count { $0.value > 0 }
        #expect((1...5).contains(attempts), "\(attempts) attempts to drive a short circuit")
        #expect(rig.level(at: rig.now) == 0)
    }

    /// Checks commands that follow each other as quickly as the calls of an app, both on a board at
    /// rest and during playback.
    @Test(arguments: [Int64(50), 150, 250], [false, true])
    func commandsOfOneMomentAreFeltTogether(apart: Int64, isPlaying: Bool) {
        let rig = LiveRig(stride: 50)
        let players = [0.1, 0.3, 0.8].map { rig.player(.held($0)) }
        if isPlaying { rig.perform(.start(at: 0), of: players[0]) }
        rig.run(for: 50_000)
        let time = rig.now
        rig.perform(.start(at: 0), of: players[1])
        rig.run(for: apart)
        rig.perform(.start(at: 0), of: players[2])
        rig.run(for: 100_000)
        let levels = rig.levels(since: time).map(\.value).filter { $0 > 0 }
        #expect(levels == [204])
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func anEventWithoutADurationPlaysUntilItsPlayerIsStopped() throws {
        let player = start(.held(0.6))
        rig.run(for: 5_000_000)
        #expect(rig.level(at: rig.now) == 153)
        let time = rig.now
        rig.perform(.stop(at: 0), of: player)
        rig.run(for: 500_000)
        #expect(try #require(delay(from: time, to: 0)) < 6_000)
        #expect(rig.board.transactions.mode.map { $0 & 0x40 } == 0x40)
        #expect(rig.finished.map(\.player) == [player])
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    /// Checks the event memory of an engine that uses one of four actuators: a quarter of the
    /// board's event memory, 96 bytes.
    @Test func aQuarterOfTheEventMemoryIsEnoughForCurves() throws {
        let curve = HapticParameterCurve(
            .hapticIntensityControl, time: 0,
            points: (0...100).map { step in
                .init(time: step * 20_000, value: step % 2 == 0 ? 0.2 : 0.9)
            })
        let event = HapticEvent(
            .hapticContinuous, time: 0, duration: 2_000_000, intensity: 1)
        let pattern = HapticPattern(events: [event], curves: [curve])
        let levels = [UInt16(0), 96].map { memory in
            let rig = LiveRig(memory: memory)
            let player = rig.player(pattern)
            rig.run(for: 10_000)
            let start = rig.now
            rig.perform(.start(at: 0), of: player)
            rig.run(for: 2_500_000)
            #expect(rig.finished.map(\.player) == [player])
            #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
            return rig.levels(since: start)
        }
        #expect(levels[0].count > 400)
        #expect(levels[0].map(\.value) == levels[1].map(\.value))
    }

    @Test func aStopOfOnePlayerLeavesTheOthers() {
        let loud = start(.held(0.8))
        let soft = start(.held(0.4))
        rig.run(for: 300_000)
        #expect(rig.level(at: rig.now) == 204)
        rig.perform(.stop(at: 0), of: loud)
        rig.run(for: 300_000)
        #expect(rig.level(at: rig.now) == 102)
        rig.perform(.stop(at: 0), of: soft)
        rig.run(for: 300_000)
        #expect(rig.level(at: rig.now) == 0)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aPlayerThatNobodyHasAnyMorePlaysToItsEndUnchanged() {
        let player = start(.held(0.6, for: 500_000))
        rig.run(for: 100_000)
        let time = rig.now
        rig.perform(.abandon, of: player)
        rig.run(for: 300_000)
        #expect(rig.levels(since: time).isEmpty)
        rig.run(for: 300_000)
        #expect(Set(rig.levels(since: time).map(\.value)) == [0])
        #expect(rig.finished.map(\.player) == [player] && rig.live.players.isEmpty)
    }

    @Test func aParameterChangesWhatIsFeltAndHolds() throws {
        let player = start(.held(1))
        rig.run(for: 200_000)
        let time = rig.now
        let half = HapticDynamicParameter(.hapticIntensityControl, time: 0, value: 0.5)
        rig.perform(.send([half], at: 0), of: player)
        rig.run(for: 2_000_000)
        #expect(try #require(delay(from: time, to: 128)) < 6_000)
        #expect(rig.level(at: rig.now) == 128)
    }

    @Test func aParametersOwnTimeAddsToTheTimeItIsSentFor() throws {
        let player = start(.held(1))
        rig.run(for: 200_000)
        let time = rig.now + 100_000
        let half = HapticDynamicParameter(.hapticIntensityControl, time: 50_000, value: 0.5)
        rig.perform(.send([half], at: time), of: player)
        rig.run(for: 300_000)
        #expect(abs(try #require(delay(from: time, to: 128)) - 50_000) < 1_000)
    }

    @Test func aParameterThatWasSentBeforeTheStartIsInForceAtTheStart() {
        let player = rig.player(.held(1))
        let half = HapticDynamicParameter(.hapticIntensityControl, time: 0, value: 0.5)
        rig.perform(.send([half], at: 0), of: player)
        rig.run(for: 100_000)
        let time = rig.now
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 100_000)
        let levels = rig.levels(since: time).map(\.value).filter { $0 > 0 }
        #expect(levels == [128])
    }

    @Test func aScheduledCurveIsFollowed() {
        let player = start(.held(1))
        rig.run(for: 100_000)
        let time = rig.now + 100_000
        let curve = HapticParameterCurve(
            .hapticIntensityControl, time: 7_000_000,
            points: [.init(time: 0, value: 1), .init(time: 1_000_000, value: 0)])
        rig.perform(.schedule(curve, at: time), of: player)
        rig.run(until: time + 1_200_000)
        for (after, value) in [(250_000, 191), (500_000, 128), (750_000, 64), (1_100_000, 0)] {
            #expect(abs(rig.level(at: time + Microseconds(after)) - value) <= 3)
        }
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aStartInTheFutureIsFeltAtItsTime() throws {
        let player = rig.player(.held(0.5, for: 100_000))
        let time = rig.now + 3_000_000
        rig.perform(.start(at: time), of: player)
        rig.run(until: time - 600_000)
        #expect(
            rig.board.transactions.mode.map { $0 & 0x40 } == 0x40,
            "the actuator is at rest until the start")
        rig.run(until: time + 300_000)
        #expect(abs(try #require(delay(from: time - 500_000, to: 128)) - 500_000) < 1_000)
        #expect(rig.level(at: rig.now) == 0)
        #expect(rig.faults.isEmpty)
    }

    @Test func aLoopContinuesWithoutAGapUntilItIsStopped() {
        let player = rig.player(.tap(1, at: 40_000))
        rig.perform(.setLoop(true, end: 100_000), of: player)
        let time = rig.now
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 3_000_000)
        let taps = rig.levels(since: time).filter { $0.value == 255 }.map(\.time)
        #expect(taps.count == 30)
        for (one, next) in zip(taps, taps.dropFirst()) { #expect(abs(next - one - 100_000) < 600) }
        rig.perform(.stop(at: 0), of: player)
        rig.run(for: 500_000)
        #expect(rig.level(at: rig.now) == 0 && rig.finished.count == 1)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aRateScalesTimesAndDurations() throws {
        let player = rig.player(
            HapticPattern(events: [
                HapticEvent(.hapticContinuous, time: 200_000, duration: 100_000, intensity: 0.5)
            ]))
        rig.perform(.setRate(2), of: player)
        let time = rig.now
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 500_000)
        let on = try #require(delay(from: time, to: 128))
        #expect(abs(on - 104_000) < 2_000)
        let off = try #require(rig.levels(since: time + on).first { $0.value == 0 }).time - time
        #expect(abs(off - on - 50_000) < 1_000)
    }

    @Test func aPausedPlayerContinuesWhereItWasPaused() throws {
        let player = start(.held(0.5, for: 500_000))
        rig.run(for: 200_000)
        rig.perform(.pause(at: 0), of: player)
        rig.run(for: 1_000_000)
        #expect(rig.level(at: rig.now) == 0)
        #expect(rig.finished.isEmpty)
        let time = rig.now
        rig.perform(.resume(at: 0), of: player)
        rig.run(for: 600_000)
        let on = try #require(delay(from: time, to: 128))
        let off = try #require(rig.levels(since: time + on).first { $0.value == 0 }).time - time
        #expect(abs(off - on - 300_000) < 2_000)
        #expect(rig.finished.count == 1)
    }

    @Test func aPausedPlayerThatIsToStopLaterPlaysUntilThenOnceItIsResumed() throws {
        let player = start(.held(0.5, for: 5_000_000))
        rig.run(for: 100_000)
        rig.perform(.pause(at: 0), of: player)
        rig.run(for: 100_000)
        let time = rig.now
        rig.perform(.resume(at: time + 200_000), of: player)
        rig.perform(.stop(at: time + 700_000), of: player)
        rig.run(for: 1_000_000)
        let on = try #require(delay(from: time, to: 128))
        #expect(abs(on - 200_000) < 2_000)
        let off = try #require(rig.levels(since: time + on).first { $0.value == 0 }).time - time
        #expect(abs(off - 700_000) < 2_000)
        #expect(rig.finished.count == 1)
    }

    @Test func aPausedPlayerIsOverWhenItsTimeToStopComes() {
        let player = start(.held(0.5, for: 5_000_000))
        rig.run(for: 100_000)
        rig.perform(.pause(at: 0), of: player)
        rig.perform(.stop(at: rig.now + 300_000), of: player)
        rig.run(for: 200_000)
        #expect(rig.finished.isEmpty)
        rig.run(for: 200_000)
        #expect(rig.finished.count == 1)
        rig.perform(.resume(at: 0), of: player)
        rig.run(for: 200_000)
        #expect(rig.level(at: rig.now) == 0)
    }

    @Test func aSeekBehindTheEndIsTheEndAndOfALoopItsBeginning() {
        let player = start(.held(0.5, for: 500_000))
        rig.run(for: 100_000)
        rig.perform(.seek(offset: 900_000), of: player)
        rig.run(for: 100_000)
        #expect(rig.level(at: rig.now) == 0 && rig.finished.count == 1)
        rig.perform(.setLoop(true, end: 0), of: player)
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 100_000)
        rig.perform(.seek(offset: 900_000), of: player)
        rig.run(for: 100_000)
        #expect(rig.level(at: rig.now) == 128)
    }

    @Test func aMutedPlayerContinuesUnfelt() {
        let player = start(.held(0.5, for: 1_000_000))
        rig.perform(.setMuted(true), of: player)
        rig.run(for: 300_000)
        #expect(rig.level(at: rig.now) == 0)
        rig.perform(.setMuted(false), of: player)
        rig.run(for: 300_000)
        #expect(rig.level(at: rig.now) == 128)
        rig.run(for: 600_000)
        #expect(rig.level(at: rig.now) == 0 && rig.finished.count == 1)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func cancelDropsWhatHasNotTakenEffect() {
        let player = start(.held(1))
        let half = HapticDynamicParameter(.hapticIntensityControl, time: 0, value: 0.5)
        rig.run(for: 50_000)
        rig.perform(.send([half], at: rig.now + 100_000), of: player)
        rig.perform(.cancel, of: player)
        rig.run(for: 300_000)
        #expect(rig.level(at: rig.now) == 0)
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 300_000)
        #expect(rig.level(at: rig.now) == 255)
    }

    @Test func commandsThatFollowEachOtherAtOnceAreAllCarriedOut() {
        let player = start(.held(1))
        for step in 1...50 {
            rig.run(for: 1_000)
            let value = Double(step) / 100
            rig.perform(
                .send(
                    [HapticDynamicParameter(.hapticIntensityControl, time: 0, value: value)], at: 0),
                of: player)
        }
        rig.run(for: 50_000)
        #expect(rig.level(at: rig.now) == 128)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aTapNearAChangeIsFeltOnce() {
        let held = start(.held(0.2))
        let taps = HapticPattern(
            events: (0..<40).map {
                HapticEvent(.hapticTransient, time: Microseconds($0) * 50_000, intensity: 1)
            })
        let time = rig.now
        let player = start(taps)
        for _ in 0..<380 {
            rig.run(for: 5_125)
            let value = HapticDynamicParameter(.hapticIntensityControl, time: 0, value: 1)
            rig.perform(.send([value], at: 0), of: held)
        }
        rig.run(for: 200_000)
        #expect(rig.levels(since: time).filter { $0.value == 255 }.count == 40)
        #expect(rig.finished.map(\.player) == [player])
    }
}
