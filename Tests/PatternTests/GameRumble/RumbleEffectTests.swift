// Tests of the motor levels that result from the effects of games, which are bytes of the kernel's
// structures.

import ProgramProtocols
import Testing

@Suite struct RumbleEffectTests {
    /// Returns the levels at times in milliseconds after the start of an effect.
    private func levels(_ effect: RumbleEffect?, _ times: [Int64]) throws -> [Double] {
        let effect = try #require(effect)
        var effects = RumbleEffects()
        effects.upload(effect, at: 0)
        effects.play(effect.id, count: 1, at: 0)
        return times.map {
            let motors = effects.motors(at: $0 * 1_000)
            #expect(motors.strong == motors.weak)
            return (motors.strong * 1_000).rounded() / 1_000
        }
    }

    @Test func theMotorsOfARumbleSetIntensityAndSharpness() throws {
        func motors(_ magnitudes: String) throws -> RumbleMotors {
            let effect = try #require(
                RumbleEffect(hex: "5000 0300", replay: "6400 0000", magnitudes))
            #expect(effect.id == 3)
            var effects = RumbleEffects()
            effects.upload(effect, at: 0)
            effects.play(3, count: 1, at: 0)
            return effects.motors(at: 99_999)
        }
        #expect(try motors("ffff 0000").intensity == 1)
        #expect(try motors("ffff 0000").sharpness == 0)
        #expect(try motors("0000 3333").intensity == 0.2)
        #expect(try motors("0000 3333").sharpness == 1)
        #expect(try motors("6666 6666").intensity == 0.4)
        #expect(try motors("6666 6666").sharpness == 0.5)
        #expect(try motors("9999 3333").intensity == 0.6)
        #expect(try motors("9999 3333").sharpness == 0.25)
    }

    @Test func aConstantForceIsALevelInEachDirection() throws {
        let times: [Int64] = [0, 99, 100]
        #expect(
            try levels(RumbleEffect(hex: "5200 0000", replay: "6400 0000", "ff7f"), times)
                == [1, 1, 0])
        #expect(
            try levels(RumbleEffect(hex: "5200 0000", replay: "6400 0000", "0080"), times)
                == [1, 1, 0])
        #expect(
            try levels(RumbleEffect(hex: "5200 0000", replay: "6400 0000", "00c0"), times)
                == [0.5, 0.5, 0])
    }

    /// Checks sine, square, triangle and both sawtooth waves. The period, the offset and the phase
    /// of these waves have no meaning for a motor.
    @Test(arguments: ["5a00", "5800", "5900", "5b00", "5c00"])
    func theAmplitudeOfAPeriodicEffectIsALevel(waveform: String) throws {
        for magnitude in ["0040", "00c0"] {
            let effect = RumbleEffect(
                hex: "5100 0000", replay: "e803 0000", waveform + "e803" + magnitude + "0010 0020")
            #expect(try levels(effect, [0, 250, 500, 999, 1000]) == [0.5, 0.5, 0.5, 0.5, 0])
        }
    }

    @Test func aRampChangesLinearlyAndPassesThroughZero() throws {
        let falling = RumbleEffect(hex: "5700 0000", replay: "6400 0000", "ff7f 0000")
        #expect(try levels(falling, [0, 25, 50, 75, 99, 100]) == [1, 0.75, 0.5, 0.25, 0.01, 0])
        let through = RumbleEffect(hex: "5700 0000", replay: "6400 0000", "0180 ff7f")
        #expect(try levels(through, [0, 25, 50, 75, 99]) == [1, 0.5, 0, 0.5, 0.98])
        // A ramp without an end does not change.
        let endless = RumbleEffect(hex: "5700 0000", replay: "0000 0000", "0040 ff7f")
        #expect(try levels(endless, [0, 50, 30_000]) == [0.5, 0.5, 0.5])
    }

    /// An attack of 100 ms from level 0, and a fade of 200 ms to level 0.5.
    private static let envelope = "6400 0000 c800 0040"

    @Test(arguments: [
        ("5200 0000", "ff7f" + envelope), ("5100 0000", "5a00 3200 ff7f 0000 0000" + envelope),
        ("5700 0000", "ff7f ff7f" + envelope),
    ])
    func anEnvelopeIsAnAttackAndAFade(type: String, rest: String) throws {
        let effect = RumbleEffect(hex: type, replay: "e803 0000", rest)
        let found = try levels(effect, [0, 25, 50, 100, 800, 900, 950, 999, 1000])
        #expect(found == [0, 0.25, 0.5, 1, 1, 0.75, 0.625, 0.503, 0])
    }

    @Test func anEndlessEffectHasAnAttackButNoFade() throws {
        let effect = RumbleEffect(
            hex: "5200 0000", replay: "0000 0000", "ff7f" + Self.envelope)
        #expect(try levels(effect, [50, 100, 1_000, 30_000]) == [0.5, 1, 1, 1])
    }

    /// The types are FF_SPRING, FF_CUSTOM, FF_GAIN, which is a setting, and 0.
    @Test(arguments: ["5300 0000", "5d00 0000", "6000 0000", "0000 0000"])
    func aTypeThatTheGamepadDoesNotHaveIsRefused(type: String) {
        #expect(RumbleEffect(hex: type, replay: "6400 0000", "ff7f") == nil)
    }

    @Test func bytesOfAnotherSizeAreRefused() {
        #expect(RumbleEffect([UInt8](repeating: 0x50, count: 44)) == nil)
        #expect(RumbleEvent([UInt8](repeating: 0, count: 16)) == nil)
    }

    @Test func eventsOfTheKernelAreRead() {
        #expect(RumbleEvent(hex: "0101 0100 2a000000") == .upload(request: 42))
        #expect(RumbleEvent(hex: "0101 0200 01000100") == .erase(request: 65_537))
        #expect(RumbleEvent(hex: "1500 0f00 03000000") == .play(id: 15, count: 3))
        #expect(RumbleEvent(hex: "1500 0000 00000000") == .play(id: 0, count: 0))
        #expect(RumbleEvent(hex: "1500 0000 ffffffff") == .play(id: 0, count: -1))
        #expect(RumbleEvent(hex: "1500 6000 ffff0000") == .gain(1))
        #expect(RumbleEvent(hex: "1500 6000 33330000") == .gain(0.2))
        // The events are automatic centering, a number that is not the number of an effect, a key,
        // and a synchronization.
        for other in [
            "1500 6100 ffff0000", "1500 1000 01000000", "0100 3001 01000000", "0000 0000 00000000",
        ] {
            #expect(RumbleEvent(hex: other) == nil)
        }
    }
}
