// Tests of the perception of taps: their strength and length, taps over a level, and taps that are
// close together.

import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import TestSupport
import Testing

/// The prediction of a pattern on an actuator whose time constant differs from its data sheet.
private struct FeltPattern {
    /// The perceived intensity in each millisecond since the start of the stream.
    let samples: [Double]
    let compiled: CompiledPattern

    init(
        _ events: [HapticEvent], on configuration: ActuatorConfiguration, slowness: Double = 1,
        alignment: DriveAlignment = .felt
    ) {
        compiled = HapticCompiler.compile(
            HapticPattern(events: events), profile: DeviceProfile(of: configuration),
            options: CompilerOptions(alignment: alignment))
        var real = configuration
        real.timeConstant = UInt16((Double(configuration.timeConstant) * slowness).rounded())
        let felt = FeltAcceleration(
            of: compiled.events, tick: compiled.tick, on: real,
            for: compiled.renderedDuration + 300_000)
        samples = felt.samples.map { $0 / felt.rated }
    }

    var peak: Double { samples.max() ?? 0 }

    /// The time, in milliseconds, for which the perceived intensity is at least half of the peak.
    var length: Int { samples.count { $0 >= peak / 2 } }

    /// Returns the maximum intensity in a time range of the pattern, in milliseconds.
    func peak(in time: Range<Int>) -> Double {
        let lead = Int(compiled.lead / 1_000)
        return samples[(time.lowerBound + lead)..<(time.upperBound + lead)].max() ?? 0
    }
}

@Suite struct FeltTapTests {
    private static let actuators = [ActuatorConfiguration.coinLRA, .coinERM]
    private static let intensities = (1...10).map { Double($0) / 10 }
    private static let sharpnesses = [0, 0.25, 0.5, 0.75, 1]

    private func tap(_ milliseconds: Int64, _ intensity: Double, _ sharpness: Double = 0.5)
        -> HapticEvent
    {
        HapticEvent(
            .hapticTransient, time: milliseconds * 1_000, intensity: intensity,
            sharpness: sharpness)
    }

    private func level(_ intensity: Double, for milliseconds: Int64) -> HapticEvent {
        HapticEvent(
            .hapticContinuous, time: 0, duration: milliseconds * 1_000, intensity: intensity)
    }

    private func steps(_ one: Double, _ other: Double) -> Double {
        Fidelity.steps(between: one * 255, and: other * 255)
    }

    @Test(arguments: actuators, sharpnesses)
    func aTapIsFeltStrongerTheGreaterItsIntensity(
        on actuator: ActuatorConfiguration, sharpness: Double
    ) {
        for slowness in [0.75, 1, 1.25] {
            let peaks = Self.intensities.map {
                FeltPattern([tap(0, $0, sharpness)], on: actuator, slowness: slowness).peak
            }
            for (weaker, stronger) in zip(peaks, peaks.dropFirst()) { #expect(weaker < stronger) }
        }
    }

    @Test(arguments: intensities, sharpnesses)
    func anLRAReachesTheIntensityWhateverTheSharpness(intensity: Double, sharpness: Double) {
        for slowness in [0.75, 1, 1.33] {
            let felt = FeltPattern(
                [tap(0, intensity, sharpness)], on: .coinLRA, slowness: slowness)
            #expect(steps(felt.peak, intensity) < 1)
        }
    }

    @Test(arguments: intensities)
    func aMotorReachesTheIntensity(intensity: Double) {
        // The tolerance is large because the loop gain of the model is only one of several
        // plausible values.
        #expect(steps(FeltPattern([tap(0, intensity)], on: .coinERM).peak, intensity) < 2)
    }

    @Test(arguments: actuators, intensities)
    func aTapLastsLongerTheDullerItIs(on actuator: ActuatorConfiguration, intensity: Double) {
        let lengths = Self.sharpnesses.map {
            FeltPattern([tap(0, intensity, $0)], on: actuator).length
        }
        for (duller, sharper) in zip(lengths, lengths.dropFirst()) {
            #expect(duller > sharper, "\(lengths)")
        }
    }

    @Test(arguments: actuators, [0.75, 1, 1.25])
    func aTapOverALevelIsFeltAndNeverAHole(
        on actuator: ActuatorConfiguration, slowness: Double
    ) {
        for hum in stride(from: 0.2, through: 0.9, by: 0.1) {
            for intensity in stride(from: 0.3, through: 1, by: 0.1) {
                let felt = FeltPattern(
                    [level(hum, for: 1_000), tap(600, intensity)], on: actuator,
                    slowness: slowness)
                let lead = Int(felt.compiled.lead / 1_000)
                let steady = felt.samples[500 + lead]
                let around = felt.samples[(530 + lead)..<(800 + lead)]
                let hole = around.count { $0 < steady && steps($0, steady) > 1 }
                #expect(hole <= 15, "\(intensity) over \(hum): \(hole) ms")
                let contrast = steps(around.max()!, around.min()!)
                #expect(contrast >= 1, "\(intensity) over \(hum): \(contrast) JND")
            }
        }
    }

    @Test func aWeakTapBehindAStrongOneDoesNotCutIt() {
        for distance in [Int64(3), 9, 15, 21] {
            let felt = FeltPattern([tap(0, 1), tap(distance, 0.3)], on: .coinLRA)
            #expect(felt.peak == 1)
        }
    }

    @Test func tapsThatAnLRACannotPartAreFeltAtTheirStrength() {
        let taps = (0..<20).map { tap(Int64($0) * 10, 0.75) }
        let felt = FeltPattern(taps, on: .coinLRA)
        for index in 3..<20 {
            let peak = felt.peak(in: (index * 10)..<(index * 10 + 10))
            #expect(steps(peak, 0.75) < 1, "\(index)")
        }
    }

    @Test func tapsThatAMotorCannotPartAreFeltAsALevel() {
        let taps = (0..<20).map { tap(Int64($0) * 25, 0.4) }
        let felt = FeltPattern(taps, on: .coinERM)
        let lead = Int(felt.compiled.lead / 1_000)
        for sample in felt.samples[(60 + lead)..<(430 + lead)] { #expect(steps(sample, 0.4) < 1) }
    }

    @Test(arguments: [0.1, 0.2, 0.3, 0.5, 0.8])
    func aMotorHoldsALevelBelowItsStartVoltage(intensity: Double) {
        for slowness in [0.75, 1, 1.25] {
            let felt = FeltPattern([level(intensity, for: 500)], on: .coinERM, slowness: slowness)
            let lead = Int(felt.compiled.lead / 1_000)
            for sample in felt.samples[(80 + lead)..<(440 + lead)] {
                #expect(steps(sample, intensity) < 1)
            }
        }
    }

    @Test(arguments: actuators, [0.2, 0.5])
    func aPeakComesAtTheTimeOfItsEvent(on actuator: ActuatorConfiguration, intensity: Double) {
        let felt = FeltPattern([tap(200, intensity, 1)], on: actuator)
        let reached = felt.samples.firstIndex { $0 >= 0.95 * felt.peak } ?? 0
        let time = Int64(reached) - felt.compiled.lead / 1_000
        #expect(abs(time - 200) <= 6, "at \(time) ms")
        #expect(felt.compiled.lead > 0)
    }

    /// Checks that a tap is perceived at its time, although a motor needs 62 ms to reach full
    /// intensity: the drive starts 44 ms before the tap.
    @Test func aTapThatTakesLongToRiseIsFeltAtItsTime() {
        let felt = FeltPattern([tap(200, 1, 1)], on: .coinERM)
        let time = 200 + Int(felt.compiled.lead / 1_000)
        #expect(felt.compiled.lead == 44_000)
        #expect(steps(felt.samples[time], felt.peak) < 2)
        #expect(felt.samples.lastIndex(of: felt.peak)! < time + 24)
    }

    @Test(arguments: actuators)
    func withoutAlignmentTheDriveBeginsWithTheEvent(on actuator: ActuatorConfiguration) {
        let compiled = FeltPattern([tap(200, 1)], on: actuator, alignment: .drive).compiled
        #expect(compiled.lead == 0)
        #expect(compiled.events.first?.tick == 800)
    }
}
