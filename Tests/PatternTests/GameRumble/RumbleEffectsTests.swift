// Tests of several effects of a game: repetitions, delays, updates, the gain, and the mix of the
// effects.

import ProgramProtocols
import TestSupport
import Testing

@Suite struct RumbleEffectsTests {
    /// A gamepad with times in milliseconds.
    private struct Gamepad {
        var effects = RumbleEffects()

        /// Uploads a constant force.
        ///
        /// - Parameters:
        ///   - level: the level in 0x7FFF parts, as hexadecimal digits in little-endian order.
        ///   - replay: length and delay in milliseconds, as hexadecimal digits.
        mutating func upload(
            _ id: String, _ level: String, replay: String, at time: Int64 = 0
        ) throws {
            let effect = RumbleEffect(hex: "5200" + id, replay: replay, level)
            effects.upload(try #require(effect), at: time * 1_000)
        }

        mutating func play(_ id: Int, _ count: Int, at time: Int64 = 0) {
            effects.play(id, count: count, at: time * 1_000)
        }

        mutating func level(at time: Int64) -> Double {
            (effects.motors(at: time * 1_000).intensity * 100).rounded() / 100
        }

        func next(after time: Int64) -> Int64? {
            effects.nextChange(after: time * 1_000).map { $0 / 1_000 }
        }
    }

    @Test func eachRepetitionWaitsForItsDelay() throws {
        var gamepad = Gamepad()
        try gamepad.upload("0000", "ff7f", replay: "6400 3200")
        gamepad.play(0, 2)
        // The sequence is 50 ms of rest and then 100 ms of the effect, twice.
        let expected: [(Int64, Double, Int64?)] = [
            (0, 0, 50), (49, 0, 50), (50, 1, 150), (149, 1, 150), (150, 0, 200), (199, 0, 200),
            (200, 1, 300), (299, 1, 300), (300, 0, nil),
        ]
        for (time, level, next) in expected {
            #expect(gamepad.level(at: time) == level, "\(time)")
            #expect(gamepad.next(after: time) == next, "\(time)")
        }
    }

    @Test func levelsOfSeveralEffectsAddUpToTheMaximum() throws {
        var gamepad = Gamepad()
        try gamepad.upload("0000", "0040", replay: "6400 0000")
        try gamepad.upload("0100", "0020", replay: "3200 0000")
        try gamepad.upload("0200", "0060", replay: "1900 0000")
        for id in 0...2 { gamepad.play(id, 1) }
        #expect(gamepad.level(at: 0) == 1)
        #expect(gamepad.next(after: 0) == 25)
        #expect(gamepad.level(at: 25) == 0.75)
        #expect(gamepad.level(at: 50) == 0.5)
        #expect(gamepad.level(at: 100) == 0)
    }

    @Test func theGainAppliesToEachEffectBeforeTheLimit() throws {
        var gamepad = Gamepad()
        for id in ["0000", "0100"] { try gamepad.upload(id, "ff7f", replay: "e803 0000") }
        for id in 0...1 { gamepad.play(id, 1) }
        gamepad.effects.setGain(0.25)
        #expect(gamepad.level(at: 10) == 0.5)
        gamepad.effects.setGain(0)
        #expect(gamepad.level(at: 20) == 0)
        gamepad.effects.setGain(1)
        #expect(gamepad.level(at: 30) == 1)
    }

    @Test func anEffectThatIsStoppedOrErasedIsRest() throws {
        var gamepad = Gamepad()
        try gamepad.upload("0000", "ff7f", replay: "0000 0000")
        #expect(gamepad.level(at: 0) == 0)
        gamepad.play(0, 1)
        #expect(gamepad.level(at: 1) == 1)
        gamepad.play(0, 0, at: 2)
        #expect(gamepad.level(at: 2) == 0)
        gamepad.play(0, 1, at: 3)
        #expect(gamepad.level(at: 3) == 1)
        gamepad.effects.erase(0)
        #expect(gamepad.level(at: 4) == 0)
        // The first event names an effect that does not exist, and the count of the second event is
        // not a number of repetitions.
        gamepad.play(0, 1, at: 5)
        #expect(gamepad.level(at: 5) == 0)
        try gamepad.upload("0000", "ff7f", replay: "0000 0000", at: 6)
        gamepad.play(0, -1, at: 6)
        #expect(gamepad.level(at: 7) == 0)
        gamepad.play(0, 1, at: 8)
        gamepad.effects.removeAll()
        #expect(gamepad.level(at: 9) == 0)
        #expect(gamepad.next(after: 9) == nil)
    }

    @Test func anUpdateKeepsTheRemainingRepetitionsAndBeginsAgain() throws {
        var gamepad = Gamepad()
        try gamepad.upload("0000", "ff7f", replay: "6400 0000")
        gamepad.play(0, 3)
        // The update occurs in the second of three repetitions.
        try gamepad.upload("0000", "0040", replay: "6400 0a00", at: 150)
        #expect(gamepad.level(at: 159) == 0)
        #expect(gamepad.level(at: 160) == 0.5)
        #expect(gamepad.level(at: 369) == 0.5)
        #expect(gamepad.level(at: 370) == 0)
        // The repetitions have ended, so an update does not start the effect.
        try gamepad.upload("0000", "ff7f", replay: "6400 0000", at: 400)
        #expect(gamepad.level(at: 401) == 0)
    }

    @Test func aStartDuringAnEffectBeginsWithTheFirstRepetition() throws {
        var gamepad = Gamepad()
        try gamepad.upload("0000", "ff7f", replay: "6400 0000")
        gamepad.play(0, 1)
        gamepad.play(0, 1, at: 90)
        #expect(gamepad.level(at: 189) == 1)
        #expect(gamepad.level(at: 190) == 0)
    }

    @Test func anEffectEndsAfterAMinuteUnlessItsGameRenewsIt() throws {
        var gamepad = Gamepad()
        try gamepad.upload("0000", "ff7f", replay: "0000 0000")
        try gamepad.upload("0100", "0040", replay: "6400 0000")
        gamepad.play(0, 1)
        gamepad.play(1, Int(Int32.max))
        #expect(gamepad.level(at: 59_999) == 1)
        #expect(gamepad.next(after: 59_999) == 60_000)
        #expect(gamepad.level(at: 60_000) == 0)
        gamepad.play(0, 1, at: 60_000)
        try gamepad.upload("0000", "0040", replay: "0000 0000", at: 100_000)
        #expect(gamepad.level(at: 159_999) == 0.5)
        #expect(gamepad.level(at: 160_000) == 0)
    }

    @Test func strangeBytesNeverExceedTheRange() {
        var generator = SeededGenerator(seed: 50)
        var effects = RumbleEffects()
        var now: Int64 = 0
        for _ in 0..<20_000 {
            now += Int64.random(in: 0...50_000, using: &generator)
            var bytes = (0..<48).map { _ in UInt8.random(in: 0...255, using: &generator) }
            bytes.replaceSubrange(
                0...3,
                with: [UInt8.random(in: 0x50...0x58, using: &generator), 0, bytes[2] & 15, 0])
            if let effect = RumbleEffect(bytes) { effects.upload(effect, at: now) }
            let count = Int32.random(in: .min...(.max), using: &generator)
            effects.play(Int(bytes[4] & 15), count: Int(count), at: now)
            effects.setGain(Double(bytes[5]) / 255)
            let motors = effects.motors(at: now)
            #expect((0...1).contains(motors.intensity) && (0...1).contains(motors.sharpness))
            if let next = effects.nextChange(after: now) { #expect(next > now) }
        }
    }
}
