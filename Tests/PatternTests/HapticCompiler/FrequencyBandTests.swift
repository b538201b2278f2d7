// Tests of the compilation for actuators whose frequency follows the sharpness: the law of the
// frequency, and levels that a simulated actuator renders equally strongly at every frequency.

import Foundation
import HapticCompiler
import HapticPatterns
import TestSupport
import Testing

@Suite struct FrequencyBandTests {
    private static let range = 80.0...298.7

    private func profile(
        _ actuator: WideBandActuator? = nil, law: FrequencyBand.Law = .logarithmic
    ) -> DeviceProfile {
        var profile = DeviceProfile.wideBand
        profile.band = FrequencyBand(
            Self.range, response: actuator?.points(every: 10, in: 60...400) ?? [], law: law,
            idle: 800e-6)
        return profile
    }

    private func continuous(_ intensity: Double, _ sharpness: Double, at time: Double = 0)
        -> HapticEvent
    {
        HapticEvent(
            .hapticContinuous, time: Microseconds(time * 1e6), duration: 400_000,
            intensity: intensity, sharpness: sharpness)
    }

    /// Returns the frequency, in hertz, that corresponds to a sharpness in the stream (SPEC 8.9).
    private func frequency(_ sharpness: Int) -> Double {
        let period = 127 - (Double(127 - 34) * Double(sharpness) / 255).rounded()
        return 1 / (period * 98.46e-6)
    }

    /// Returns the level, 0...1, and the frequency of a held event in the stream.
    private func held(
        _ intensity: Double, _ sharpness: Double, _ profile: DeviceProfile
    ) throws -> (level: Double, frequency: Double) {
        let pattern = HapticPattern(events: [continuous(intensity, sharpness)])
        let compiled = HapticCompiler.compile(pattern, profile: profile)
        var played = PlayedLevel(compiled.events) { _ in 0 }
        let level = Double(played.level(at: 800)) / 255
        let sharpness = played.sharpness(at: 800)
        return (level, frequency(try #require(sharpness)))
    }

    @Test(arguments: FrequencyBand.Law.allCases)
    func theFrequencyFollowsTheLaw(_ law: FrequencyBand.Law) throws {
        for sharpness in stride(from: 0, through: 1, by: 0.05) {
            let found = try held(0.8, sharpness, profile(law: law)).frequency
            let (low, high) = (Self.range.lowerBound, Self.range.upperBound)
            let wanted =
                switch law {
                case .logarithmic: low * pow(high / low, sharpness)
                case .linear: low + (high - low) * sharpness
                case .absolute: max(65 + 235 * sharpness, low)
                }
            // A frequency step of the chip is at most 3 %, and the stream may deviate by four steps
            // of sharpness.
            #expect(abs(found / wanted - 1) < 0.06, "\(sharpness): \(found), not \(wanted)")
        }
    }

    /// Checks that the acceleration deviates from the intensity by at most one just-noticeable
    /// difference, at every frequency from 1/0.8 of the lowest frequency in the band to 0.8 of the
    /// highest frequency.
    @Test(arguments: WideBandActuator.all)
    func anIntensityIsEquallyStrongAtEveryFrequency(_ actuator: WideBandActuator) throws {
        let inner = Self.range.lowerBound / 0.8...Self.range.upperBound * 0.8
        let profile = profile(actuator)
        let full = stride(from: inner.lowerBound, through: inner.upperBound, by: 0.5)
            .map { actuator.gain(at: $0) * WideBandActuator.drive(at: $0) }.min()!
        var count = 0
        for intensity in [0.3, 0.6, 1.0] {
            for sharpness in stride(from: 0, through: 1, by: 0.02) {
                let (level, frequency) = try held(intensity, sharpness, profile)
                guard inner.contains(frequency) else { continue }
                var motion = WideBandMotion(actuator)
                var felt = 0.0
                for _ in 0..<8_000 {
                    // The register has seven bits (SPEC 6.2).
                    let drive = (level * 255 / 2).rounded(.down) / 127
                    felt = motion.advance(drive: drive, frequency: frequency)
                }
                let difference = Fidelity.steps(
                    between: felt / full * 255, and: intensity * 255)
                #expect(difference <= 1, "\(actuator.name), \(frequency) Hz: \(difference) JND")
                count += 1
            }
        }
        #expect(count > 90)
    }

    /// Checks that the motion of the simulated actuator agrees with the exact solution of its
    /// equation of motion.
    @Test(arguments: WideBandActuator.all)
    func theSimulatedMotionAgreesWithTheResponse(_ actuator: WideBandActuator) {
        for frequency in [70.0, 120, 160, 230, 320, 400] {
            var motion = WideBandMotion(actuator)
            var felt = 0.0
            for _ in 0..<8_000 { felt = motion.advance(drive: 1, frequency: frequency) }
            let exact = actuator.gain(at: frequency) * WideBandActuator.drive(at: frequency)
            #expect(abs(felt / exact - 1) < 0.02, "\(actuator.name), \(frequency) Hz")
        }
    }

    /// Checks the report about an actuator that is too weak outside the inner part of its band. The
    /// report names the event, the frequency and the percentage of the intensity that the voltage
    /// permits.
    @Test func anIntensityThatTheVoltageForbidsIsReported() throws {
        var profile = profile()
        profile.band?.response = [
            .init(frequency: 80, gain: 0.5), .init(frequency: 100, gain: 1),
        ]
        let pattern = HapticPattern(events: [
            continuous(1, 0), continuous(0.4, 0, at: 1), continuous(1, 0.5, at: 2),
            HapticEvent(.hapticTransient, time: 3_000_000, intensity: 1, sharpness: 0),
        ])
        let compiled = HapticCompiler.compile(pattern, profile: profile)
        let items = compiled.report.items(of: .limitedByVoltage)
        #expect(items.map(\.event) == [0, 3])
        // 0.5 x 0.967 of the gain at 239 Hz, 0.899.
        #expect(items.first?.message.contains("54 % of the intensity at 80 Hz") == true, "\(items)")
    }

    /// Checks that a sharpness curve changes the frequency and the level, and that the ramps
    /// deviate little from the law.
    @Test func aCurveOfTheSharpnessFollowsTheLaw() throws {
        let curve = HapticParameterCurve(
            .hapticSharpnessControl, time: 0,
            points: [.init(time: 0, value: -0.5), .init(time: 1_000_000, value: 0.5)])
        let pattern = HapticPattern(
            events: [
                HapticEvent(
                    .hapticContinuous, time: 0, duration: 1_000_000, intensity: 0.7,
                    sharpness: 0.5)
            ], curves: [curve])
        let profile = profile(.reactor)
        for window in [1_000_000, 37_000] as [Microseconds] {
            var compiler = HapticCompiler(
                profile: profile,
                voices: [PatternVoice(pattern, options: CompilerOptions(), endless: .limited)])
            var events: [StreamEvent] = []
            while events.last.map({ $0.content == .end }) != true {
                events += compiler.nextSegment(duration: window).events
            }
            var played = PlayedLevel(events) { _ in 0 }
            for tick in stride(from: 40, to: 3_960, by: 40) as StrideTo<Ticks> {
                let level = Double(played.level(at: tick)) / 255
                let sharpness = played.sharpness(at: tick)
                let found = frequency(try #require(sharpness))
                let wanted = profile.band!.frequency(ofSharpness: Double(tick) / 4_000)
                #expect(abs(found / wanted - 1) < 0.06, "tick \(tick)")
                let drive = min(
                    0.7 * profile.band!.equalization(at: wanted, reference: 100...298.7 * 0.8), 1)
                #expect(abs(level - drive) < 0.03, "tick \(tick): \(level), not \(drive)")
            }
        }
    }

    @Test func aTapHasTheFrequencyOfItsSharpness() throws {
        let pattern = HapticPattern(events: [
            HapticEvent(.hapticTransient, time: 0, intensity: 1, sharpness: 1),
            HapticEvent(.hapticTransient, time: 500_000, intensity: 1, sharpness: 0.5),
        ])
        let events = HapticCompiler.compile(pattern, profile: profile()).events
        let found = PlayedLevel.taps(of: events).map { frequency(Int($0.sharpness)) }
        #expect(found.count == 2)
        for (frequency, wanted) in zip(found, [298.7, 154.6]) {
            #expect(abs(frequency / wanted - 1) < 0.05, "\(frequency) Hz")
        }
    }
}

/// Tests of profiles for actuators with a frequency band, and of the comparison of their streams
/// with patterns.
@Suite struct BandProfileTests {
    private func text(_ changed: (key: String, value: String)? = nil) -> String {
        let members = [
            ("name", "\"mine\""), ("kind", "\"wide-band\""), ("description", "\"a reactor\""),
            ("tapDullMicroseconds", "25000"), ("tapSharpMicroseconds", "6700"), ("lowHertz", "80"),
            ("highHertz", "300"), ("law", "\"linear\""), ("response", "[[80, 0.5], [160, 2]]"),
            ("sustainedLevel", "1"), ("fullLevelMilliseconds", "0"),
        ]
        let lines = members.map { key, value in
            "\"\(key)\": \(changed?.key == key ? changed!.value : value)"
        }
        return "{\(lines.joined(separator: ", "))}"
    }

    @Test func aProfileStatesTheBandTheLawAndTheResponse() throws {
        let profile = try DeviceProfile(json: Array(text().utf8))
        #expect(profile.kind == .wideBand && profile.plant == nil)
        #expect(
            profile.band
                == FrequencyBand(
                    80...300,
                    response: [.init(frequency: 80, gain: 0.5), .init(frequency: 160, gain: 2)],
                    law: .linear, idle: 800e-6))
        #expect(profile.keepsContinuousSharpness)
    }

    @Test(arguments: [
        ("lowHertz", "79"), ("highHertz", "407"), ("highHertz", "70"), ("highHertz", "80"),
        ("law", "\"cubic\""),
        ("response", "[[160, 2], [80, 1]]"), ("response", "[[160, 0]]"), ("response", "[[160]]"),
        ("response", "[160, 2]"), ("response", "2"), ("response", "[[1e999, 1]]"),
    ])
    func aWrongMemberIsNamed(_ key: String, _ value: String) {
        #expect {
            try DeviceProfile(json: Array(text((key, value)).utf8))
        } throws: { "\($0)".contains("\"\(key)\"") }
    }

    /// Checks that a band of one frequency, and a band whose ends have the same period, are
    /// rendered at their lowest frequency.
    @Test(arguments: [110, 110.0.nextUp])
    func aBandOfOnePeriodIsRendered(_ high: Double) {
        let pattern = HapticPattern(events: [
            HapticEvent(.hapticTransient, time: 0, intensity: 1, sharpness: 1)
        ])
        var profile = DeviceProfile.wideBand
        profile.band?.range = 110...high
        let events = HapticCompiler.compile(pattern, profile: profile).events
        #expect(PlayedLevel.taps(of: events).map(\.sharpness) == [0])
    }

    /// Checks that a sharpness whose absolute frequency is outside the band is reported as an error.
    @Test(arguments: [(0.0, 20.9), (0.5, 3.9), (1, 0.19)])
    func theAbsoluteLawIsComparedWithTheFrequencyThatTheSharpnessMeans(
        _ sharpness: Double, _ jnd: Double
    ) throws {
        let pattern = HapticPattern(events: [
            HapticEvent(.hapticTransient, time: 0, intensity: 1, sharpness: sharpness)
        ])
        var profile = DeviceProfile.wideBand
        profile.band = FrequencyBand(310...406, law: .absolute)
        let events = HapticCompiler.compile(pattern, profile: profile).events
        let fidelity = Fidelity(of: events, against: pattern, band: profile.band)
        // The band renders each sharpness at 310 Hz, and 65 to 300 Hz are meant.
        #expect(abs(try #require(fidelity.sharpnessJND) / jnd - 1) < 0.05, "\(fidelity)")
    }

    /// Checks that a stream differs from its pattern by only a few steps of the chip and of the
    /// stream.
    @Test func theFidelityOfAStreamIsThatOfWhatTheActuatorRenders() {
        let pattern = HapticPattern(events: [
            HapticEvent(
                .hapticContinuous, time: 0, duration: 400_000, intensity: 0.7, sharpness: 0.3),
            HapticEvent(.hapticTransient, time: 600_000, intensity: 0.6, sharpness: 0.9),
        ])
        var profile = DeviceProfile.wideBand
        profile.band?.response = WideBandActuator.reactor.points(every: 10, in: 60...400)
        let events = HapticCompiler.compile(pattern, profile: profile).events
        let fidelity = Fidelity(of: events, against: pattern, band: profile.band)
        #expect(fidelity.lostTaps == 0 && fidelity.addedTaps == 0)
        #expect(fidelity.levelJND < 0.3)
        #expect((fidelity.sharpnessJND ?? 9) < 0.5)
        // If the comparison does not consider the band, the values in the stream differ greatly
        // from those in the pattern.
        let other = Fidelity(of: events, against: pattern)
        #expect((other.sharpnessJND ?? 0) > 0.5)
    }
}
