import CDRV2605Model
import Foundation
import Testing

/// An actuator and a clock, which a test advances in steps of a given size.
struct Actuator {
    var model = actuator_model()

    init(lra parameters: actuator_lra_parameters) {
        withUnsafePointer(to: parameters) { actuator_model_init_lra(&model, $0) }
    }

    init(erm parameters: actuator_erm_parameters) {
        withUnsafePointer(to: parameters) { actuator_model_init_erm(&model, $0) }
    }

    var acceleration: Double { withUnsafePointer(to: model) { actuator_model_acceleration_g($0) } }
    var frequency: Double { withUnsafePointer(to: model) { actuator_model_frequency_hz($0) } }

    mutating func run(_ drive: Int16, for duration: UInt64, step: UInt64? = nil) {
        let end = model.now_us + duration
        while model.now_us < end {
            actuator_model_advance(&model, min(end, model.now_us + (step ?? duration)), drive)
        }
    }

    /// Returns the number of microseconds until the condition is true. Checks the condition every
    /// 10 us.
    mutating func time(_ drive: Int16, until condition: (Actuator) -> Bool) -> UInt64 {
        let start = model.now_us
        while !condition(self), model.now_us < start + 10_000_000 { run(drive, for: 10) }
        return model.now_us - start
    }

    /// Checks that the value that is measured after each drive in a sequence does not depend on the
    /// step size.
    func expectSame(
        _ value: (Actuator) -> Double, inStepsOfAnySize drives: [(Int16, UInt64)]
    ) {
        func end(step: UInt64?) -> [Double] {
            var actuator = self
            return drives.map { drive, duration in
                actuator.run(drive, for: duration, step: step)
                return value(actuator)
            }
        }
        let whole = end(step: nil)
        for step: UInt64 in [1, 7, 100, 5_000] {
            for (fine, coarse) in zip(end(step: step), whole) {
                #expect(isClose(fine, to: coarse, within: 1e-6))
            }
        }
    }
}

func isClose(_ value: Double, to expected: Double, within part: Double) -> Bool {
    abs(value - expected) <= part * abs(expected)
}

@Suite("The linear resonant actuator")
struct LinearActuatorTests {
    private func coin(
        quality: Double = 10, resonance: Double = 170, clamp: Double = 1, stop: Double = 10
    ) -> Actuator {
        var parameters = actuator_lra_coin_10mm
        parameters.quality = quality
        parameters.resonance_hz = resonance
        parameters.clamp_ratio = clamp
        parameters.stop_ratio = stop
        return Actuator(lra: parameters)
    }

    /// Returns the time constant in microseconds: Q / (pi f0).
    private func timeConstant(_ quality: Double, _ resonance: Double) -> Double {
        quality / (Double.pi * resonance) * 1e6
    }

    @Test("the actuator is at rest until it is driven, and settles at its rated acceleration")
    func settles() {
        var actuator = coin()
        actuator.run(0, for: 1_000_000)
        #expect(actuator.acceleration == 0)
        actuator.run(255, for: 1_000_000)
        #expect(isClose(actuator.acceleration, to: 1.5, within: 1e-9))
        #expect(actuator.frequency == 170)
    }

    @Test(
        "without overdrive, the actuator rises to 90 % in 2.3 time constants",
        arguments: [(8.0, 170.0), (10, 170), (15, 170), (8, 235), (15, 235)])
    func riseTime(quality: Double, resonance: Double) {
        for closedLoop in [true, false] {
            var actuator = coin(quality: quality, resonance: resonance)
            actuator.model.closed_loop = closedLoop
            let time = actuator.time(255) { $0.acceleration >= 0.9 * 1.5 }
            #expect(isClose(Double(time), to: 2.3 * timeConstant(quality, resonance), within: 0.05))
        }
    }

    @Test(
        "overdrive shortens the rise to -tau ln(1 - 1/r) and then holds the target",
        arguments: [(1.41, 1.24), (1.5, 1.10), (2.0, 0.69)])
    func overdrive(ratio: Double, constants: Double) {
        var actuator = coin(clamp: ratio)
        let time = actuator.time(255) { $0.acceleration >= 1.5 - 1e-9 }
        #expect(isClose(Double(time), to: constants * timeConstant(10, 170), within: 0.05))
        actuator.run(255, for: 500_000)
        #expect(isClose(actuator.acceleration, to: 1.5, within: 1e-9))
    }

    @Test(
        "the automatic brake takes tau ln(1 + 1/r)",
        arguments: [(1.0, 0.69), (1.41, 0.54), (2.0, 0.41)])
    func brakeTime(ratio: Double, constants: Double) {
        var actuator = coin(clamp: ratio)
        actuator.run(255, for: 1_000_000)
        let time = actuator.time(0) { $0.acceleration <= 0.0201 * 1.5 }
        #expect(isClose(Double(time), to: constants * timeConstant(10, 170), within: 0.05))
    }

    @Test("below 2 % the brake ends, and the remaining amplitude decays")
    func brakeEnds() {
        var actuator = coin(clamp: 2)
        actuator.run(255, for: 1_000_000)
        actuator.run(0, for: 10_000)
        #expect(actuator.acceleration < 0.02 * 1.5)
        #expect(actuator.acceleration > 0.001 * 1.5)
        actuator.run(0, for: 1_000_000)
        #expect(actuator.acceleration == 0)
    }

    @Test("the closed loop follows a lower target and treats negative drive as rest")
    func targets() {
        var actuator = coin(clamp: 1.41)
        actuator.run(255, for: 1_000_000)
        actuator.run(51, for: 100_000)
        #expect(isClose(actuator.acceleration, to: 0.3, within: 1e-9))
        actuator.run(-255, for: 1_000_000)
        #expect(actuator.acceleration < 1e-9)
    }

    @Test("after k cycles the amplitude is 1 - exp(-k pi / Q)", arguments: [1.0, 2, 4])
    func shortDrives(cycles: Double) {
        var actuator = coin()
        actuator.run(255, for: UInt64(cycles / 170 * 1e6))
        let expected = 1.5 * (1 - exp(-cycles * Double.pi / 10))
        #expect(isClose(actuator.acceleration, to: expected, within: 1e-3))
    }

    @Test(
        "the response is weaker off resonance, equally on both sides",
        arguments: [
            (8.0, 170.0, 5.0, 0.90), (8, 170, 10, 0.73), (8, 170, 30, 0.36),
            (15, 170, 5, 0.75), (15, 170, 10, 0.49), (20, 175, 5, 0.66),
        ])
    func detuning(quality: Double, resonance: Double, offset: Double, response: Double) {
        for side in [1.0, -1.0] {
            var actuator = coin(quality: quality, resonance: resonance)
            actuator.model.closed_loop = false
            actuator.model.frequency_offset_hz = side * offset
            actuator.run(255, for: 2_000_000)
            // The table applies to the full resonator, whereas the model's envelope omits the
            // factor f0 / f.
            #expect(abs(actuator.acceleration / 1.5 - response) < 0.03)
            #expect(actuator.frequency == resonance + side * offset)
        }
    }

    @Test("in open loop, reversed phase first brakes and then drives with opposite phase")
    func phaseReversal() {
        var actuator = coin()
        actuator.model.closed_loop = false
        actuator.run(255, for: 1_000_000)
        let time = actuator.time(-255) { $0.acceleration < 0.01 }
        #expect(isClose(Double(time), to: 0.69 * timeConstant(10, 170), within: 0.05))
        actuator.run(-255, for: 1_000_000)
        #expect(isClose(actuator.acceleration, to: 1.5, within: 1e-9))
    }

    @Test("the mass does not move beyond its stop")
    func displacementStop() {
        var parameters = actuator_lra_coin_10mm
        parameters.full_scale_ratio = 3
        var actuator = Actuator(lra: parameters)
        actuator.model.closed_loop = false
        let time = actuator.time(255) { $0.acceleration >= 1.5 * 1.5 - 1e-9 }
        #expect(isClose(Double(time), to: log(2) * timeConstant(10, 170), within: 0.05))
        actuator.run(255, for: 1_000_000)
        #expect(isClose(actuator.acceleration, to: 2.25, within: 1e-9))
    }

    @Test("the result does not depend on the step size", arguments: [true, false])
    func stepSize(closedLoop: Bool) {
        var actuator = coin(clamp: 1.41)
        actuator.model.closed_loop = closedLoop
        actuator.model.frequency_offset_hz = 7
        actuator.expectSame(
            \.acceleration,
            inStepsOfAnySize: [
                (255, 13_000), (100, 21_000), (-255, 4_000), (0, 9_000), (180, 33_000),
            ])
    }

    @Test("in open loop, the motion follows the differential equation across changes of the drive")
    func followsItsEquation() {
        var actuator = coin()
        actuator.model.closed_loop = false
        actuator.model.frequency_offset_hz = 12
        let tau = timeConstant(10, 170) * 1e-6
        let (step, turn) = (1e-7, 2 * Double.pi * 12)
        var (real, imaginary) = (0.0, 0.0)
        for (drive, duration) in [(Int16(255), UInt64(11_000)), (0, 17_000), (-128, 9_000)] {
            actuator.run(drive, for: duration)
            for _ in 0..<(duration * 10) {
                let realSlope = (Double(drive) / 255 - real) / tau - turn * imaginary
                let imaginarySlope = -imaginary / tau + turn * real
                real += step * realSlope
                imaginary += step * imaginarySlope
            }
            #expect(abs(actuator.model.amplitude_real - real) < 1e-4)
            #expect(abs(actuator.model.amplitude_imaginary - imaginary) < 1e-4)
            let expected = 1.5 * (real * real + imaginary * imaginary).squareRoot()
            #expect(isClose(actuator.acceleration, to: expected, within: 1e-3))
        }
    }

    @Test("the actuator starts again from an amplitude that has almost decayed")
    func startsFromNextToNothing() {
        var actuator = coin(clamp: 1.41)
        actuator.run(255, for: 1_000_000)
        actuator.run(0, for: 13_500_000)  // to about 1e-315
        actuator.run(255, for: 1_000_000)
        #expect(isClose(actuator.acceleration, to: 1.5, within: 1e-9))
    }

    @Test("a step of an hour is stable")
    func hugeStep() {
        var actuator = coin(clamp: 1.41)
        actuator.run(255, for: 3_600_000_000)
        #expect(isClose(actuator.acceleration, to: 1.5, within: 1e-9))
        actuator.run(0, for: 3_600_000_000)
        #expect(actuator.acceleration == 0)
    }

    @Test("a time before the previous time has no effect")
    func noTimeBackwards() {
        var actuator = coin()
        actuator.run(255, for: 10_000)
        let before = actuator.acceleration
        actuator_model_advance(&actuator.model, 5_000, 0)
        #expect(actuator.acceleration == before)
        #expect(actuator.model.now_us == 10_000)
    }
}
