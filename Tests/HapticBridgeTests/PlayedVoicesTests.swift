// Tests of the calculated output of players at a given time, and of the deviation from the output
// of a board.

import BridgeLink
import HapticCompiler
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBridge

@Suite struct PlayedVoicesTests {
    private let player = PlayerID(number: 1)
    private let start: HostTime = 50_000_000

    private func voices(_ pattern: HapticPattern, startedAt time: HostTime? = nil) -> PlayedVoices {
        var voices = PlayedVoices()
        voices.perform(.add(PlayerVoice(pattern)), of: player, at: start - 1_000)
        if let time { voices.perform(.start(at: 0), of: player, at: time) }
        return voices
    }

    // MARK: The output

    @Test func aTapIsSeenForAFrame() {
        let voices = voices(.tap(0.5, at: 30_000), startedAt: start)
        #expect(voices.output(at: start + 29_999) == .silence)
        #expect(voices.output(at: start + 30_000).intensity == 0.5)
        #expect(voices.output(at: start + 49_999).intensity == 0.5)
        #expect(voices.output(at: start + 50_000) == .silence)
    }

    @Test func aCurveIsFollowedWithItsSharpness() {
        let pattern = HapticPattern(
            events: [
                HapticEvent(
                    .hapticContinuous, time: 0, duration: 1_000_000, intensity: 1, sharpness: 0.3)
            ],
            curves: [
                HapticParameterCurve(
                    .hapticIntensityControl, time: 0,
                    points: [.init(time: 0, value: 0), .init(time: 1_000_000, value: 1)])
            ])
        let output = voices(pattern, startedAt: start).output(at: start + 250_000)
        #expect(abs(output.intensity - 0.25) < 0.001 && abs(output.sharpness - 0.3) < 0.001)
    }

    @Test func theLouderOfTwoPlayersIsSeenAndEachAlone() {
        var voices = voices(.held(0.4, for: 500_000), startedAt: start)
        let other = PlayerID(number: 2)
        voices.perform(.add(PlayerVoice(.held(0.9, for: 100_000))), of: other, at: start)
        voices.perform(.start(at: 0), of: other, at: start)
        #expect(voices.output(at: start + 50_000).intensity == 0.9)
        #expect(voices.output(of: player, at: start + 50_000)?.intensity == 0.4)
        #expect(voices.output(at: start + 150_000).intensity == 0.4)
        #expect(voices.output(of: other, at: start + 150_000) == nil, "over")
    }

    @Test func aPlayerThatDoesNotPlayHasNone() {
        var voices = voices(.held(1, for: 500_000))
        #expect(voices.output(of: player, at: start) == nil)
        voices.perform(.start(at: start + 100_000), of: player, at: start)
        #expect(voices.output(of: player, at: start + 50_000) == nil, "not yet")
        #expect(voices.output(of: player, at: start + 100_000)?.intensity == 1)
        voices.perform(.pause(at: start + 200_000), of: player, at: start + 150_000)
        #expect(voices.output(of: player, at: start + 199_999)?.intensity == 1)
        #expect(voices.output(of: player, at: start + 200_001) == nil, "paused")
    }

    @Test func theLastMomentsAreRememberedWhateverHappensThen() {
        var voices = voices(.held(1, for: 500_000), startedAt: start)
        voices.perform(.stop(at: 0), of: player, at: start + 100_000)
        voices.advance(to: start + 150_000)
        #expect(voices.output(at: start + 99_999).intensity == 1)
        #expect(voices.output(at: start + 100_000) == .silence)
    }

    @Test func aQuestionChangesNothing() {
        let voices = voices(.held(1, for: 500_000), startedAt: start)
        #expect(voices.output(at: start + 600_000) == .silence)
        #expect(voices.output(at: start + 100_000).intensity == 1)
        #expect(voices.output(at: start + 1_000_000_000_000) == .silence)
    }

    @Test func aMutedPlayerIsSilentAndContinues() {
        var voices = voices(.held(1, for: 500_000), startedAt: start)
        voices.perform(.setMuted(true), of: player, at: start + 100_000)
        #expect(voices.output(of: player, at: start + 200_000) == .silence)
        voices.perform(.setMuted(false), of: player, at: start + 300_000)
        #expect(voices.output(of: player, at: start + 400_000)?.intensity == 1)
        voices.advance(to: start + 500_000)
        #expect(voices.players[player]?.voice.finishTime == start + 500_000)
    }

    @Test func aReleasedPlayerEndsItselfOrAtOnceWhereItWouldNot() {
        var finite = voices(.held(1, for: 500_000), startedAt: start)
        finite.perform(.abandon, of: player, at: start)
        #expect(finite.output(at: start + 400_000).intensity == 1)
        var endless = voices(.held(1), startedAt: start)
        endless.perform(.abandon, of: player, at: start + 1_000)
        endless.advance(to: start + 2_000)
        #expect(endless.players.isEmpty)
        #expect(endless.output(at: start + 2_000) == .silence)
    }

    // MARK: Created and released players

    /// Plays a tap with a new player every 10 ms, while a loop plays and the app keeps references
    /// to other players.
    @Test func aPlayerThatIsReleasedIsForgottenOnceItIsOver() {
        var voices = PlayedVoices()
        func add(_ number: Int, _ pattern: HapticPattern, at now: HostTime) {
            voices.perform(
                .add(PlayerVoice(pattern)), of: PlayerID(number: UInt64(number)), at: now)
        }
        let kept = 50
        for number in 0..<kept { add(number, .held(1), at: start) }
        voices.perform(.setLoop(true, end: 0), of: PlayerID(number: 0), at: start)
        voices.perform(.start(at: 0), of: PlayerID(number: 0), at: start)
        var most = 0
        for tap in 0..<10_000 {
            let now = start + Microseconds(tap) * 10_000
            let player = PlayerID(number: UInt64(kept + tap))
            add(kept + tap, .tap(0.5), at: now)
            voices.perform(.start(at: 0), of: player, at: now)
            voices.perform(.abandon, of: player, at: now)
            most = max(most, voices.active.count)
        }
        #expect(most == 1 + 20 + 1, "the loop, the taps of the last 200 ms, and the current tap")
        voices.advance(to: start + 101_000_000)
        #expect(voices.players.count == kept && voices.active.count == 1)
    }

    @Test func aPauseFarAheadOfAPlayerThatIsGoneKeepsNothing() {
        var voices = voices(.tap(1), startedAt: start)
        voices.perform(.pause(at: start + 1_000_000_000), of: player, at: start)
        voices.perform(.abandon, of: player, at: start)
        voices.advance(to: start + 300_000)
        #expect(voices.players.isEmpty && voices.nextCommand == nil)
    }

    // MARK: Loops

    @Test func aLoopThatNobodyLooksAtForADayIsWhereItWouldBe() {
        expectLittleProcessorTime {
            let day: Microseconds = 86_400_000_000
            var looping = PlayerVoice(.held(1, for: 7_000))
            looping.setLoop(true, end: 0)
            looping.setRate(0.7)
            let curve = HapticParameterCurve(
                .hapticIntensityControl, time: 0,
                points: [.init(time: 0, value: 1), .init(time: 2_000_000, value: 0.5)])
            looping.start(at: 0)
            looping.schedule(curve, at: 500)
            var stepped = looping
            var leaping = looping
            for time in stride(from: HostTime(0), through: 3_000_000, by: 1_000) {
                stepped.advance(to: time)
            }
            leaping.advance(to: 3_000_000)
            let one = stepped.render(until: 3_100_000)
            #expect(one == leaping.render(until: 3_100_000) && one.pieces.count > 5)
            leaping.advance(to: HostTime(microseconds: day))
            #expect(!leaping.render(until: day + 100_000).pieces.isEmpty)
            // The number of passes is in the billions, so processing them one by one would take too
            // long.
            leaping.advance(to: HostTime(microseconds: 1_000 * day))
            #expect(!leaping.render(until: 1_000 * day + 100_000).pieces.isEmpty)
        }
    }

    // MARK: Comparison with a board

    @Test func aChangeIsSeenWithinAFrameOfItsBoard() throws {
        let rig = LiveRig(stride: 500)
        let player = rig.player(.held(1))
        for command in [PlayerCommand.start(at: 0), .pause(at: 0), .resume(at: 0), .stop(at: 0)] {
            rig.run(for: 100_000)
            let now = rig.now
            #expect(0...20_000 ~= rig.carryOut(command, of: player).effect - now)
        }
    }

    /// Compares the preview with a board on which the same operations are performed. Each level in
    /// the output of the preview must occur in the output of the board within 20 ms, and vice
    /// versa. Each operation must take effect at the same time in the preview and on the board,
    /// because a player may end before or after this time.
    @Test(arguments: 1...4)
    func theOutputIsThatOfABoardWithinAFrame(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rig = LiveRig(stride: 500)
        var voices = PlayedVoices()
        for _ in 0..<6 {
            let pattern = RandomOperations.pattern(using: &generator)
            let player = rig.player(pattern)
            voices.perform(.add(PlayerVoice(pattern)), of: player, at: rig.now)
        }
        for operation in 0..<500 {
            let player = PlayerID(number: UInt64.random(in: 1...6, using: &generator))
            let command = RandomOperations.command(at: rig.now, using: &generator)
            voices.perform(command, of: player, at: rig.carryOut(command, of: player).effect)
            rig.run(for: .random(in: 10...40, using: &generator) * 1_000)
            guard operation % 10 == 9 else { continue }
            // No operation takes effect in the interval that is compared.
            rig.run(for: 60_000)
            voices.advance(to: rig.now)
            compare(voices, rig, after: operation)
            rig.forgetTrace()
        }
    }

    private func compare(_ voices: PlayedVoices, _ rig: LiveRig, after operation: Int) {
        let times = (1...60).reversed().map { rig.now - $0 * 1_000 }
        let shown = times.map { Int((voices.output(at: $0).intensity * 255).rounded()) }
        let felt = times.map { rig.level(at: $0) }
        for index in 20..<39 {
            #expect(
                Self.isNear(shown[index], felt[(index - 20)...(index + 20)]),
                "\(shown[index]) is shown after \(operation) but not played: \(felt)")
            // The preview holds each tap for some time, so it does not show the gaps between taps.
            let taps = voices.span(from: times[index] - 20_000, to: times[index] + 20_000).taps
            #expect(
                !taps.isEmpty || Self.isNear(felt[index], shown[(index - 20)...(index + 20)]),
                "\(felt[index]) is played after \(operation) but not shown: \(shown)")
        }
    }

    /// Returns true if a level is close to one of the given levels. The levels may differ because a
    /// board renders a ramp in steps.
    private static func isNear(_ level: Int, _ others: ArraySlice<Int>) -> Bool {
        zip(others, others.dropFirst()).contains { one, next in
            let step = abs(one - next) <= rampStep ? abs(one - next) : 0
            return abs(level - one) <= 4 + step
        }
    }

    /// The maximum step of a ramp in the patterns, in units of 1/255. A step lasts 5 ms, and the
    /// ramp lasts 50 ms.
    private static let rampStep = 26
}
