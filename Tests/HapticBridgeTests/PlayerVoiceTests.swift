// Tests of the clock and the controls of a single player. Arbitrary times, rates and loops must not
// cause a crash or a hang.

import BridgeLink
import DRV2605
import HapticCompiler
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBridge

@Suite struct PlayerVoiceTests {
    private static let rates = [1.0 / 64, 0.3, 0.5, 1, 1.7, 3, 64]

    @Test(arguments: rates) func theFirstPatternTimeIsTheLeastThatIsReached(_ rate: Double) {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let clock = PlayerClock(
                engine: HostTime(microseconds: .random(in: 0...10_000_000, using: &generator)),
                pattern: .random(in: 0...10_000_000, using: &generator), rate: rate)
            let time = HostTime(microseconds: .random(in: 0...20_000_000, using: &generator))
            let first = clock.firstPattern(at: time)
            #expect(clock.engine(at: first) >= time)
            #expect(clock.engine(at: first - 1) < time)
        }
    }

    @Test(arguments: rates) func noTimeOverflowsTheClock(_ rate: Double) {
        let times: [Int64] = [0, 1, 1_000_000_000_000_000_000, .max / 4 - 1, .max / 4, .max]
        for engine in times.dropLast(3) {
            for pattern in times.dropLast(3) {
                let clock = PlayerClock(
                    engine: HostTime(microseconds: engine), pattern: pattern, rate: rate)
                for time in times.dropLast(2).map(HostTime.init(microseconds:)) {
                    _ = (clock.pattern(at: time), clock.firstPattern(at: time))
                }
                for time in times { #expect(clock.engine(at: time).microseconds > -.max / 2) }
                #expect(clock.engine(at: .max) == .never)
            }
        }
    }

    /// Checks that a pass of a loop takes at least 10 ms, so that there are at most 100 passes per
    /// second.
    @Test(arguments: [1.0 / 64, 1, 64], [0, 1, 10_000, 86_400_000_000] as [Int64])
    func aLoopOfAnyLengthAtAnyRateContinues(rate: Double, end: Int64) {
        var voice = PlayerVoice(.tap(1))
        voice.setRate(rate)
        voice.setLoop(true, end: end)
        voice.start(at: 0)
        let taps = voice.render(until: 1_000_000).taps
        #expect((1...101).contains(taps.count))
        #expect(voice.finishTime == nil)
    }

    @Test func aTapIsRepeatedEveryTenMillisecondsAtMost() {
        var voice = PlayerVoice(.tap(1))
        voice.setRate(64)
        voice.setLoop(true, end: 0)
        voice.start(at: 0)
        #expect(
            voice.render(until: 50_000).taps.map(\.time) == [0, 10_000, 20_000, 30_000, 40_000])
    }

    // MARK: Starts and stops

    /// Returns the times in the first 2 s at which a voice has output.
    private func felt(_ pattern: HapticPattern, _ commands: [PlayerCommand]) -> [Range<Int64>] {
        var voice = PlayerVoice(pattern)
        for command in commands { voice.carryOut(command, at: 0) }
        return voice.render(until: 2_000_000).pieces.map { $0.start..<$0.end }
    }

    @Test func eachStartPlaysThePattern() {
        let starts = [250_000, 500_000, 750_000, 1_000_000].map(HostTime.init(microseconds:))
        #expect(
            felt(.held(1, for: 100_000), starts.map { .start(at: $0) })
                == starts.map { $0.microseconds..<($0.microseconds + 100_000) })
    }

    @Test func startsAndStopsTakeEffectAtTheirTimes() {
        let commands: [PlayerCommand] = [
            .start(at: 200_000), .stop(at: 400_000), .start(at: 600_000), .stop(at: 800_000),
        ]
        #expect(felt(.held(1), commands) == [200_000..<400_000, 600_000..<800_000])
    }

    @Test func aStartAheadLeavesWhatPlaysUntilThen() {
        #expect(
            felt(.held(1, for: 600_000), [.start(at: 0), .start(at: 900_000)])
                == [0..<600_000, 900_000..<1_500_000])
        #expect(
            felt(.held(1, for: 600_000), [.start(at: 0), .start(at: 300_000)])
                == [0..<300_000, 300_000..<900_000])
    }

    @Test func aStopThatWasRequestedBeforeAStartIsKept() {
        #expect(felt(.held(1), [.stop(at: 300_000), .start(at: 0)]) == [0..<300_000])
    }

    @Test func aStopTakesBackWhatWasRequestedForLater() {
        let starts: [PlayerCommand] = [.start(at: 100_000), .start(at: 500_000)]
        #expect(felt(.held(1), starts + [.stop(at: 300_000)]) == [100_000..<300_000])
        #expect(felt(.held(1), starts + [.stop(at: 0)]) == [])
        #expect(felt(.held(1), starts + [.cancel]) == [])
    }

    @Test func aStopIsPutOffByAnotherOfTheSameStart() {
        #expect(
            felt(.held(1), [.start(at: 0), .stop(at: 300_000), .stop(at: 400_000)])
                == [0..<400_000])
    }

    @Test func aStartAheadBeginsAtItsOwnOffset() {
        #expect(
            felt(.held(1, for: 300_000), [.start(at: 0), .start(at: 600_000, from: 200_000)])
                == [0..<300_000, 600_000..<700_000])
        #expect(felt(.held(1, for: 300_000), [.start(at: 100_000, from: 300_000)]) == [])
        #expect(
            felt(.held(1, for: 300_000), [.start(at: 100_000), .seek(offset: 250_000)])
                == [100_000..<150_000])
    }

    @Test func aPlayerIsOverBehindItsLastStart() {
        var voice = PlayerVoice(.held(1, for: 100_000))
        voice.start(at: 0)
        voice.start(at: 500_000)
        #expect(voice.finishTime == 600_000)
        voice.pause()
        #expect(voice.finishTime == 600_000 && voice.isActive)
        voice.advance(to: 550_000)
        #expect(voice.isPlaying(at: 550_000) && voice.finishTime == 600_000)
        voice.setLoop(true, end: 0)
        #expect(voice.finishTime == nil)
    }

    /// Checks that parameters are processed in linear time.
    @Test func parametersByTheThousandAreTakenInOneCall() {
        expectLittleProcessorTime {
            let parameters = (0..<50_000).map {
                HapticDynamicParameter(
                    .hapticIntensityControl, time: Microseconds($0 / 2) * 10, value: Double($0 % 2))
            }
            var controls = PlayerControls()
            for _ in 0..<2 { controls.send(parameters, at: 0) }
            let clock = PlayerClock(engine: 0, pattern: 0, rate: 1)
            let curves = controls.curves(with: [], clock)
            #expect(curves.count == 25_000 && curves.allSatisfy { $0.value == 1 })
            let sent = PlayerCommand.send(parameters, at: 0)
            guard case .send(let both, _)? = sent.merged(with: sent) else {
                Issue.record("not merged")
                return
            }
            #expect(both.count == 25_000)
        }
    }

    // MARK: Commands

    @Test func whatIsReplacedAtOnceIsSaidOnce() {
        var live = LiveStream(actuators: ActuatorMask(index: 0))
        let (one, other) = (PlayerID(number: 1), PlayerID(number: 2))
        for count in 0..<100 {
            let value = Double(count) / 100
            live.perform(.setRate(value), of: one)
            live.perform(
                .send([.init(.hapticIntensityControl, time: 5, value: value)], at: 0), of: other)
        }
        #expect(live.commands.count == 2)
        guard case .send(let parameters, _) = live.commands[1].command else {
            Issue.record("no parameters")
            return
        }
        #expect(parameters.map(\.value) == [0.99])
        live.perform(.start(at: 0), of: one)
        live.perform(.setRate(1), of: one)
        #expect(live.commands.count == 4, "the order of the other parameters is kept")
    }

    @Test func aPauseAheadOfTheStartWaitsForItsTime() {
        let rig = LiveRig()
        let player = rig.player(.held(0.5))
        rig.perform(.pause(at: rig.now + 200_000), of: player)
        rig.run(for: 20_000)
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 100_000)
        #expect(rig.level(at: rig.now) == 128)
        rig.run(for: 150_000)
        #expect(rig.level(at: rig.now) == 0)
    }

    @Test func aStopForgetsWhatWasToHappenBehindIt() {
        let rig = LiveRig()
        let player = rig.player(.held(0.5))
        rig.perform(.start(at: 0), of: player)
        rig.perform(.pause(at: rig.now + 200_000), of: player)
        rig.run(for: 50_000)
        rig.perform(.stop(at: 0), of: player)
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 300_000)
        #expect(rig.level(at: rig.now) == 128)
    }

    /// Checks that the player does not again read events that are already playing.
    @Test func controlsChangeWhatIsAheadAndNothingElse() {
        let pattern = HapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 0, duration: 400_000, intensity: 1),
            HapticEvent(.hapticContinuous, time: 100_000, duration: 50_000, intensity: 0.5),
        ])
        var replaced = PatternVoice(pattern)
        var fresh = PatternVoice(pattern)
        _ = replaced.render(until: 120_000)
        let control = ControlCurve(.hapticIntensityControl, start: 0, value: 0.5)
        replaced.replaceControls([control])
        fresh.replaceControls([control])
        fresh.skip(to: 120_000)
        #expect(replaced.end == fresh.end)
        let (one, other) = (replaced.render(until: 500_000), fresh.render(until: 500_000))
        #expect(one.pieces.map(\.level) == other.pieces.map(\.level))
        #expect(one.pieces.map(\.start) == other.pieces.map(\.start))
    }

    @Test func aReleaseThatIsMadeLongerEndsLater() {
        var voice = PatternVoice(.held(1, for: 100_000))
        let before = voice.end!
        voice.replaceControls([ControlCurve(.hapticReleaseTimeControl, start: 0, value: 1)])
        #expect(voice.end! > before)
    }

    // MARK: Actuators

    @Test func aStreamIsCompiledForTheConfigurationOfItsActuator() throws {
        var configuration = ActuatorConfiguration.coinERM
        configuration.timeConstant = 555
        let engine = try SteppedEngine(configuration: configuration)
        #expect(engine.start())
        #expect(engine.profile == DeviceProfile(of: configuration))
        #expect(engine.profile?.plant?.timeConstant == 55_500)
    }
}
