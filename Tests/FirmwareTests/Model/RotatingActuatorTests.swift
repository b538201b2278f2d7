import CDRV2605Model
import Foundation
import Testing

@Suite("The eccentric rotating mass motor")
struct RotatingActuatorTests {
    /// A 3 V motor whose full drive is 3 V. The motor starts at 2.0 V, which is a drive of 170, and
    /// keeps running down to 0.8 V, which is a drive of 68.
    private var motor: Actuator { Actuator(erm: actuator_erm_coin_b1034) }

    @Test(
        "the motor starts only at or above its start voltage",
        arguments: [
            (Int16(169), false), (170, true), (255, true), (-169, false), (-170, true),
        ])
    func startThreshold(drive: Int16, starts: Bool) {
        var actuator = motor
        actuator.run(drive, for: 1_000_000)
        #expect((actuator.acceleration > 0) == starts)
    }

    @Test("a turning motor keeps turning below the start voltage, down to the running voltage")
    func runsBelowStart() {
        var actuator = motor
        actuator.run(255, for: 100_000)
        actuator.run(100, for: 1_000_000)
        let ratio = (100.0 / 255 * 3 - 0.8) / 2.2
        #expect(isClose(actuator.model.speed_rad_s, to: 1361 * ratio, within: 1e-6))
        actuator.run(67, for: 1_000_000)
        #expect(actuator.model.speed_rad_s == 0)
    }

    @Test(
        "the acceleration is proportional to the square of the speed",
        arguments: [Int16(170), 200, 230, 255])
    func squareLaw(drive: Int16) {
        var actuator = motor
        actuator.run(drive, for: 5_000_000)
        let ratio = (Double(drive) / 255 * 3 - 0.8) / 2.2
        #expect(isClose(actuator.acceleration, to: 0.8 * ratio * ratio, within: 1e-6))
        #expect(isClose(actuator.frequency, to: 1361 * ratio / (2 * Double.pi), within: 1e-6))
    }

    @Test("the motor reaches 90 % of its acceleration after 2.97 time constants")
    func riseTime() {
        var actuator = motor
        let time = actuator.time(255) { $0.acceleration >= 0.9 * 0.8 }
        #expect(isClose(Double(time), to: 2.97 * 40_000, within: 0.01))
    }

    @Test("reverse drive stops the motor sooner than coasting")
    func reverseBrake() {
        var coasting = motor
        coasting.run(255, for: 1_000_000)
        var braking = coasting
        let stopped: (Actuator) -> Bool = { abs($0.model.speed_rad_s) < 14 }
        let coast = coasting.time(0, until: stopped)
        let brake = braking.time(-255, until: stopped)
        #expect(isClose(Double(brake), to: log(2) * 40_000, within: 0.05))
        #expect(isClose(Double(coast), to: log(100) * 40_000, within: 0.05))
    }

    @Test("continued reverse drive turns the motor in the opposite direction")
    func reverseTurns() {
        var actuator = motor
        actuator.run(255, for: 1_000_000)
        actuator.run(-255, for: 1_000_000)
        #expect(isClose(actuator.model.speed_rad_s, to: -1361, within: 1e-6))
        #expect(isClose(actuator.acceleration, to: 0.8, within: 1e-6))
    }

    @Test("reverse drive below the start voltage stops the motor without reversing it")
    func weakReverse() {
        var actuator = motor
        actuator.run(255, for: 1_000_000)
        actuator.run(-160, for: 1_000_000)
        #expect(actuator.model.speed_rad_s == 0)
    }

    @Test("the result does not depend on the step size")
    func stepSize() {
        motor.expectSame(
            \.model.speed_rad_s,
            inStepsOfAnySize: [
                (255, 60_000), (120, 40_000), (-255, 70_000), (0, 30_000), (255, 90_000),
                (0, 400_000),
            ])
    }
}

/// The driver's closed loop: V = 3 (u + 2 (u - w)) above 3 (u + 8 (u - w)), limited to 3.6 V.
@Suite("The motor in closed loop")
struct LoopedRotatingActuatorTests {
    private func motor(gain: Double = 2) -> Actuator {
        var parameters = actuator_erm_coin_b1034
        parameters.loop_gain = gain
        var actuator = Actuator(erm: parameters)
        actuator.model.closed_loop = true
        return actuator
    }

    @Test("the motor starts at the target level that, with the gain, results in the start voltage")
    func startThreshold() {
        // 3 V x u x (1 + 2) = 2.0 V at 56.7 of 255.
        for (drive, starts) in [(Int16(56), false), (57, true), (0, false), (-255, false)] {
            var actuator = motor()
            actuator.run(drive, for: 1_000_000)
            #expect((actuator.acceleration > 0) == starts, "\(drive)")
        }
    }

    @Test(
        "the motor reaches the speed at which voltage and friction are balanced",
        arguments: [1.0, 2, 3])
    func steadySpeed(gain: Double) {
        for drive: Int16 in [100, 180, 255] {
            var actuator = motor(gain: gain)
            actuator.run(drive, for: 3_000_000)
            // 2.2 w + 0.8 = 3 u + 3 G (u - w)
            let ratio = (3 * (1 + gain) * Double(drive) / 255 - 0.8) / (2.2 + 3 * gain)
            #expect(isClose(actuator.model.speed_rad_s, to: 1361 * ratio, within: 1e-6))
        }
    }

    @Test("the motor is overdriven up to the clamp voltage")
    func overdrive() {
        var actuator = motor()
        actuator.run(255, for: 20_000)
        // The speed approaches (3.6 - 0.8) / 2.2 of the rated speed with a time constant of 40 ms. The
        // clamp ends at 0.9 of the rated speed.
        let ratio = 2.8 / 2.2 * (1 - exp(-0.5))
        #expect(isClose(actuator.model.speed_rad_s, to: 1361 * ratio, within: 1e-6))
    }

    @Test("the motor is braked with four times the gain, limited by the clamp voltage")
    func brake() {
        var actuator = motor()
        actuator.run(255, for: 1_000_000)
        let begin = actuator.model.speed_rad_s / 1361
        actuator.run(0, for: 10_000)
        let ratio = -2.8 / 2.2 + (begin + 2.8 / 2.2) * exp(-0.25)
        #expect(isClose(actuator.model.speed_rad_s, to: 1361 * ratio, within: 1e-6))
        actuator.run(0, for: 200_000)
        #expect(actuator.model.speed_rad_s == 0, "the motor never turns in the opposite direction")
    }

    @Test("without a brake factor, the motor coasts to a stop")
    func noBrake() {
        var parameters = actuator_erm_coin_b1034
        parameters.brake_factor = 0
        var actuator = Actuator(erm: parameters)
        actuator.model.closed_loop = true
        actuator.run(255, for: 1_000_000)
        let begin = actuator.model.speed_rad_s
        actuator.run(0, for: 40_000)
        #expect(isClose(actuator.model.speed_rad_s, to: begin * exp(-1), within: 1e-6))
    }

    @Test("the result does not depend on the step size", arguments: [1.0, 2, 3])
    func stepSize(gain: Double) {
        motor(gain: gain).expectSame(
            \.model.speed_rad_s,
            inStepsOfAnySize: [
                (255, 60_000), (60, 40_000), (120, 70_000), (0, 9_000), (30, 30_000),
                (255, 90_000), (0, 400_000), (50, 40_000),
            ])
    }
}
