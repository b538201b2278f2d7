// Tests, in simulated time, of commands whose times are too far in the future to be sent to the
// board immediately.

import BridgeLink
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBridge

@Suite struct ScheduledCommandTests {
    private let rig = LiveRig()

    private func started(_ intensity: Double) -> PlayerID {
        let player = rig.player(.held(intensity))
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 100_000)
        return player
    }

    /// Returns the time at which a level was first written after a given time.
    private func time(of value: UInt8, since start: HostTime) throws -> HostTime {
        try #require(rig.levels(since: start).first { $0.value == value }).time
    }

    /// Returns a parameter that takes effect immediately.
    private func intensity(_ value: Double) -> [HapticDynamicParameter] {
        [HapticDynamicParameter(.hapticIntensityControl, time: 0, value: value)]
    }

    /// Checks a line with a delay that is longer than the lead time of an immediate change.
    @Test func aStartThatWaitsIsOnTimeAlthoughTheLineWasHeldUp() throws {
        rig.run(for: 100_000)
        let start = rig.now + 50_000
        rig.stall(for: 6_500)
        let player = rig.player(.held(0.6))
        rig.perform(.start(at: start), of: player)
        rig.run(for: 100_000)
        #expect(abs(try time(of: 153, since: start - 20_000) - start) <= 300)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aLevelThatWaitsIsOnTimeAlthoughTheLineWasHeldUp() throws {
        let player = started(1)
        for offset in Microseconds(0)..<8 {
            let change = rig.now + 40_000 + offset * 31
            rig.stall(for: 6_500)
            let share: Double = 0.2 + Double(offset) / 10
            rig.perform(.send(intensity(share), at: change), of: player)
            rig.run(for: 60_000)
            let value = UInt8((255 * share).rounded())
            let felt = try time(of: value, since: change - 20_000)
            #expect(abs(felt - change) <= 300, "\(felt - change)")
        }
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test(arguments: [Int64(500), 2_000, 4_000, 5_000, 7_000])
    func aCommandAtOnceIsFeltWithinNineMillisecondsAfterOneThatWaits(apart: Int64) throws {
        let player = started(1)
        rig.perform(.send(intensity(0.4), at: rig.now + 50_000), of: player)
        rig.run(for: apart)
        let called = rig.now
        rig.perform(.send(intensity(0.8), at: 0), of: player)
        rig.run(for: 100_000)
        #expect(try time(of: 204, since: called) - called < 9_000)
        #expect(rig.level(at: rig.now) == 102)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aStopCanStillBePutOffShortlyBeforeIt() throws {
        let player = started(0.6)
        let first = rig.now + 16_000
        rig.perform(.stop(at: first), of: player)
        rig.run(for: 9_000)
        rig.perform(.stop(at: first + 80_000), of: player)
        rig.run(for: 40_000)
        #expect(rig.level(at: rig.now) == 153)
        rig.run(for: 100_000)
        let end = try time(of: 0, since: first - 5_000)
        #expect(abs(end - first - 80_000) <= 300)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func aPauseIsOnTimeAfterACommandThatWaits() throws {
        let player = started(0.6)
        let pause = rig.now + 5_000
        rig.perform(.send(intensity(0.5), at: rig.now + 50_000), of: player)
        rig.perform(.pause(at: pause), of: player)
        rig.run(for: 100_000)
        #expect(abs(try time(of: 0, since: pause - 5_000) - pause) <= 1_000)
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func startsAndStopsOfOnePlayerAreFeltAtTheirTimes() throws {
        rig.run(for: 100_000)
        let player = rig.player(.held(0.6))
        let begin = rig.now + 200_000
        for round in Microseconds(0)..<4 {
            rig.perform(.start(at: begin + round * 250_000), of: player)
            rig.perform(.stop(at: begin + round * 250_000 + 100_000), of: player)
        }
        rig.run(for: 1_500_000)
        let levels = rig.levels(since: begin - 50_000)
        #expect(levels.prefix(8).map(\.value) == [153, 0, 153, 0, 153, 0, 153, 0])
        #expect(levels.dropFirst(8).allSatisfy { $0.value == 0 })
        for (index, level) in levels.prefix(8).enumerated() {
            let due = begin + Microseconds(index / 2) * 250_000 + Microseconds(index % 2) * 100_000
            #expect(abs(level.time - due) <= 300)
        }
        #expect(rig.finished.map(\.player) == [player], "over once")
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }

    @Test func betweenStartsThatLieFarApartTheStreamRests() throws {
        let player = rig.player(.held(0.6, for: 50_000))
        rig.perform(.start(at: 0), of: player)
        let later = rig.now + 5_000_000
        rig.perform(.start(at: later), of: player)
        rig.run(for: 2_000_000)
        #expect(rig.live.segment?.hasEnded == true && rig.live.isBusy)
        rig.run(until: later + 500_000)
        #expect(abs(try time(of: 153, since: later - 100_000) - later) <= 300)
        #expect(rig.finished.count == 1 && !rig.live.isBusy)
    }

    /// Checks a STOP while there are pending starts that have not yet been sent to the board.
    @Test(arguments: [Int64(0), 50_000])
    func aStartThatAStopFindsWaitingIsOverAndMayComeAgain(ahead: Int64) throws {
        let playing = started(0.6)
        let waiting = rig.player(.held(0.8))
        rig.perform(.start(at: rig.now + ahead), of: waiting)
        rig.stopAll()
        rig.run(for: 200_000)
        #expect(Set(rig.finished.map(\.player)) == [playing, waiting])
        #expect(rig.level(at: rig.now) == 0)
        rig.perform(.start(at: 0), of: waiting)
        rig.run(for: 50_000)
        #expect(rig.level(at: rig.now) == 204)
    }
}
