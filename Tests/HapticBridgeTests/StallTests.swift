// Tests, in simulated time, of the effects of players on the board's stream after the host has
// stalled.

import BridgeLink
import HapticCompiler
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBridge

@Suite struct StallTests {
    /// Checks a stall: the board receives no bytes during the stall, and all bytes at once after
    /// the stall.
    @Test(arguments: 1...4)
    func changesThatArriveTogetherAfterAStallAreAllFelt(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rig = LiveRig()
        let player = rig.player(.held(1))
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 100_000)
        for _ in 0..<100 {
            rig.stall(for: .random(in: 0...15_000, using: &generator))
            for _ in 0..<4 {
                let value = Double.random(in: 0...1, using: &generator)
                let parameter = HapticDynamicParameter(
                    .hapticIntensityControl, time: 0, value: value)
                rig.perform(.send([parameter], at: 0), of: player)
                rig.run(for: .random(in: 1_000...9_000, using: &generator))
            }
            let last = HapticDynamicParameter(.hapticIntensityControl, time: 0, value: 0.4)
            rig.perform(.send([last], at: 0), of: player)
            rig.run(for: 60_000)
            #expect(rig.level(at: rig.now) == 102)
        }
        rig.perform(.stop(at: 0), of: player)
        rig.run(for: 200_000)
        #expect(rig.level(at: rig.now) == 0)
        #expect(rig.faults.subtracting(.late).isEmpty)
    }

    @Test func whatBeganLateIsNotOverBeforeItIsPlayed() throws {
        let rig = LiveRig()
        rig.stall(for: 60_000)
        let player = rig.player(.held(0.5, for: 30_000))
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 200_000)
        let end = try #require(rig.levels(since: 0).last { $0.value == 0 }).time
        #expect(rig.finished.map(\.player) == [player])
        #expect((end - 3_000...end + 10_000).contains(rig.finished[0].time))
        #expect(rig.levels(since: 0).contains { $0.value == 128 })
    }

    @Test func whatReplacesALongRevisionIsNotLateBehindItOnTheLine() {
        let rig = LiveRig(stride: 10)
        let taps = HapticPattern(
            events: (0..<30).map {
                HapticEvent(
                    .hapticTransient, time: Microseconds($0) * 9_000,
                    intensity: 0.3 + Double($0 % 7) / 10)
            })
        let players = [rig.player(taps), rig.player(.held(0.2, for: 500_000))]
        rig.run(for: 1_000)
        for player in players {
            rig.perform(.start(at: 0), of: player)
            rig.run(for: 20)
        }
        rig.run(for: 12_000)
        #expect(rig.live.lateness == 0)
        #expect(rig.levels(since: 0).contains { $0.value == 51 })
    }

    /// Changes a level at the due time of a tap in a segment that has begun late.
    @Test(arguments: [Int64(1_000), 2_500])
    func aTapOfASegmentThatBeganLateIsFeltOnceWhateverIsChangedThen(late: Int64) {
        let rig = LiveRig(stride: 50)
        for offset in Swift.stride(from: Int64(0), to: 6_000, by: 250) {
            let held = rig.player(.held(0.2, for: 150_000))
            let tap = rig.player(.tap(1, at: 40_000))
            rig.stall(for: rig.live.lead + late)
            let begun = rig.now
            for player in [held, tap] { rig.perform(.start(at: 0), of: player) }
            rig.run(for: 38_000 + offset)
            #expect(rig.live.lateness > late)
            let value = HapticDynamicParameter(.hapticIntensityControl, time: 0, value: 0.8)
            rig.perform(.send([value], at: 0), of: held)
            rig.run(for: 200_000)
            let taps = rig.levels(since: begun).filter { $0.value == 255 }
            #expect(taps.count == 1, "\(offset)")
        }
    }

    @Test func changesThatTakeLongToCompileAreLateOnlyOnce() {
        let rig = LiveRig()
        let player = rig.player(.held(1))
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 100_000)
        var late: [Microseconds] = []
        for preparation in [6_000, 6_000, 5_000, 6_000, 9_000, 0, 6_000] as [Microseconds] {
            rig.preparation = preparation
            let value = HapticDynamicParameter(
                .hapticIntensityControl, time: 0, value: Double(late.count) / 10)
            rig.perform(.send([value], at: 0), of: player)
            rig.run(for: 100_000)
            late.append(rig.live.lateness)
        }
        #expect(late[0] > 2_000 && late[4] > 0, "\(late)")
        #expect(late.indices.filter { late[$0] > 0 } == [0, 4], "\(late)")
        rig.preparation = 0
        for _ in 0..<500 {
            rig.perform(.send([], at: 0), of: player)
            rig.run(for: 20_000)
        }
        #expect(rig.live.preparation == 0)
    }

    @Test func whatBeganLateMakesUpForIt() throws {
        let rig = LiveRig()
        let taps = HapticPattern(
            events: (0..<60).map {
                HapticEvent(.hapticTransient, time: Microseconds($0) * 100_000, intensity: 1)
            })
        rig.stall(for: 15_000)
        let player = rig.player(taps)
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 10_000)
        let start = try #require(rig.live.segment?.start)
        rig.run(for: 6_100_000)
        let times = rig.levels(since: start).filter { $0.value == 255 }.map(\.time)
        try #require(times.count == 60)
        let late = zip(0..., times).map { $1 - start - Microseconds($0) * 100_000 }
        #expect((8_000...16_000).contains(late[0]))
        #expect(late.dropFirst(30).allSatisfy { abs($0) <= 300 }, "\(late)")
        #expect(rig.finished.map(\.player) == [player])
    }

    /// Changes a level every few milliseconds while another player plays taps and the line stalls.
    /// The intervals between the taps are longer than the maximum lateness of a REVISE.
    @Test(arguments: 1...8, [DeviceProfile.reference, DeviceProfile(of: .coinLRA)])
    func noTapIsLostWhileChangesArriveLate(seed: UInt64, profile: DeviceProfile) {
        var generator = SeededGenerator(seed: seed)
        let rig = LiveRig(profile: profile)
        let due = (0..<100).map { Microseconds(50_000 + 60_000 * $0) }
        let taps = HapticPattern(
            events: due.enumerated().map {
                let intensity = Double(13 + $0.offset % 10) / 25
                return HapticEvent(.hapticTransient, time: $0.element, intensity: intensity)
            })
        let levels = Self.levels(of: taps, profile)
        let players = [rig.player(.held(0.1)), rig.player(taps)]
        let begun = rig.now
        var stalls = 0
        for player in players { rig.perform(.start(at: 0), of: player) }
        while rig.now - begun < due.last! {
            if Int.random(in: 0..<30, using: &generator) == 0 {
                stalls += 1
                rig.stall(for: .random(in: 5_000...25_000, using: &generator))
            }
            let parameter = HapticDynamicParameter(
                .hapticIntensityControl, time: 0, value: .random(in: 0.5...1, using: &generator))
            rig.perform(.send([parameter], at: 0), of: players[0])
            rig.run(for: .random(in: 1_000...3_000, using: &generator))
        }
        rig.run(for: 200_000)
        let felt = rig.levels(since: begun)
        let counts = zip(due, levels).map { time, level in
            let window = begun + time - 10_000..<begun + time + 100_000
            return felt.count { $0.value == level && window.contains($0.time) }
        }
        #expect(!counts.contains(0), "\(counts)")
        // Until the host detects the delay, a late REVISE repeats the taps that the board played
        // before the REVISE arrived.
        #expect(counts.count { $0 > 1 } <= stalls / 3, "\(counts), \(stalls) stalls")
    }

    /// Returns the level of each tap in a pattern that is played alone.
    private static func levels(of taps: HapticPattern, _ profile: DeviceProfile) -> [UInt8] {
        let rig = LiveRig(profile: profile)
        let begun = rig.now
        rig.perform(.start(at: 0), of: rig.player(taps))
        rig.run(for: 7_500_000)
        return rig.levels(since: begun).map(\.value).filter { $0 > 60 }
    }
}
