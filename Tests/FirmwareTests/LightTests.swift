// Tests of the LED that follows the level (SPEC 8.8): its brightness, its hold time, and the level
// that it shows.

import CBridgeFirmware
import TestSupport
import Testing

@Suite struct LightTests {
    /// A loop that switches an LED and whose rounds have different durations.
    private struct Rounds {
        var light = bridge_light()
        var now: UInt32 = UInt32.max - 3_000_000  // the times wrap around during the test
        var generator = SeededGenerator(seed: 26)
        var lengths: ClosedRange<UInt32> = 40...1_500

        /// Shows a level for at least `time` microseconds. Returns the time for which the LED was
        /// on and the elapsed time.
        mutating func show(_ level: UInt8, for time: UInt32) -> (on: UInt32, passed: UInt32) {
            var (on, passed): (UInt32, UInt32) = (0, 0)
            while passed < time {
                let isOn = light_update(&light, level, now)
                let length = UInt32.random(in: lengths, using: &generator)
                on += isOn ? length : 0
                passed += length
                now &+= length
            }
            return (on, passed)
        }
    }

    @Test(arguments: [1, 2, 10, 64, 128, 200, 254, 255] as [UInt8])
    func itIsOnForTheLevelsPartOfTheTimeWhateverRoundsTake(_ level: UInt8) {
        var rounds = Rounds()
        let (on, passed) = rounds.show(level, for: 4_000_000)
        let part = Double(on) / Double(passed)
        #expect(abs(part - Double(level) / 255) < 0.002)
    }

    @Test func fullLevelIsNeverInterruptedAndNoLevelIsDark() {
        var rounds = Rounds()
        let dark = rounds.show(0, for: 1_000_000)
        #expect(dark.on == 0)
        _ = rounds.show(255, for: 2_000)
        let full = rounds.show(255, for: 1_000_000)
        #expect(full.on == full.passed)
        _ = rounds.show(0, for: BRIDGE_LIGHT_HOLD_US + 2_500)
        #expect(rounds.show(0, for: 1_000_000).on == 0)
    }

    @Test func aTapIsVisibleFor40MillisecondsAndHardlyLonger() {
        var rounds = Rounds()
        rounds.lengths = 200...260
        for pause in stride(from: 100_000, to: 101_000, by: 37) as StrideTo<UInt32> {
            let tap = rounds.show(255, for: 1_000)
            let after = rounds.show(0, for: pause)
            // The LED is switched on in the second round, when the accumulated brightness requires
            // it.
            #expect((40_000...42_000).contains(tap.on + after.on), "\(tap.on + after.on) us")
        }
    }

    @Test func aWeakerLevelAfterAStrongerOneIsShownWhenThatWasVisible() {
        var rounds = Rounds()
        _ = rounds.show(255, for: 5_000)
        let held = rounds.show(51, for: 30_000)
        #expect(held.on == held.passed)
        _ = rounds.show(51, for: 12_000)
        let (on, passed) = rounds.show(51, for: 1_000_000)
        #expect(abs(Double(on) / Double(passed) - 0.2) < 0.01)
    }

    @Test func aLevelThatFallsAfterTheHoldIsFollowedInTheSameRound() {
        var rounds = Rounds()
        _ = rounds.show(255, for: 60_000)
        for level in (1...254).reversed() as ReversedCollection<ClosedRange<UInt8>> {
            _ = light_update(&rounds.light, level, rounds.now)
            #expect(rounds.light.level == level)
            rounds.now &+= 300
        }
    }

    @Test func roundsThatTakeFarTooLongOverflowNothing() {
        var rounds = Rounds()
        rounds.lengths = 30_000...50_000
        for level in [255, 1, 254, 128, 255] as [UInt8] { _ = rounds.show(level, for: 3_000_000) }
        _ = rounds.show(0, for: 200_000)
        #expect(rounds.show(0, for: 1_000_000).on == 0)
    }

    @Test func itShowsTheGreatestLevelAfterGainAndMute() {
        var actuators = (0..<3).map { _ in CBridgeFirmware.actuator() }
        func greatest() -> UInt8 { light_greatest_level(actuators, UInt8(actuators.count)) }
        #expect(greatest() == 0)
        for (index, (level, gain)) in [(100, 255), (240, 102), (90, 255)].enumerated() {
            (actuators[index].shown, actuators[index].gain) = (UInt8(level), UInt8(gain))
        }
        #expect(greatest() == 100)
        actuators[0].is_muted = true
        #expect(greatest() == 96)  // 240 x 102 / 255
        (actuators[1].is_muted, actuators[2].is_muted) = (true, true)
        #expect(greatest() == 0)
    }
}
