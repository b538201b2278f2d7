// Tests of the fit of an actuator whose properties are hidden. The fit uses an accelerometer with a
// random clock, gain and offset.

import BridgeLink
import CDRV2605Model
import DRV2605
import HapticCompiler
import HapticPatterns
import Prediction
import TestSupport
import Testing
import VirtualBoard

@Suite struct ActuatorFitTests {
    private static let coins = [ActuatorConfiguration.coinLRA, .coinERM]

    /// A fitted value and the true value.
    private struct Compared {
        var name: String
        var fitted: FittedActuator.Value
        var truth: Double
        /// The greatest permitted difference.
        var most: Double

        var isCovered: Bool { abs(fitted.value - truth) <= fitted.uncertainty }
    }

    private func compared(_ fit: FittedActuator, _ plant: HiddenPlant) throws -> [Compared] {
        func within(_ name: String, _ value: FittedActuator.Value, _ truth: Double) -> Compared {
            Compared(name: name, fitted: value, truth: truth, most: 0.05 * truth)
        }
        let parameters = plant.truth.parameters
        let delay = Compared(
            name: "delay", fitted: fit.delay, truth: Double(plant.delay) / 1_000, most: 1)
        guard plant.truth.kind == ACTUATOR_ERM else {
            let time = HiddenPlant.timeConstant(plant.truth) * 1_000
            return [
                Compared(
                    name: "resonance", fitted: fit.frequency,
                    truth: parameters.lra.resonance_hz, most: 1),
                within("time constant", fit.timeConstant, time),
                within("level", fit.acceleration, parameters.lra.rated_acceleration_g), delay,
            ]
        }
        let erm = parameters.erm
        let rated = erm.rated_voltage_v
        return [
            Compared(
                name: "rotation", fitted: fit.frequency,
                truth: erm.rated_speed_rad_s / (2 * .pi), most: 1),
            within("time constant", fit.timeConstant, erm.time_constant_s * 1_000),
            within("level", fit.acceleration, erm.rated_acceleration_g),
            within("start", try #require(fit.start), erm.start_voltage_v / rated),
            within("friction", try #require(fit.running), erm.running_voltage_v / rated),
            within("loop gain", try #require(fit.loopGain), erm.loop_gain), delay,
        ]
    }

    @Test(arguments: coins, 0..<5)
    func hiddenPlantsOfTheFamilyAreFitted(
        _ coin: ActuatorConfiguration, _ block: Int
    ) throws {
        var all: [Compared] = []
        for seed in 0..<10 {
            var generator = SeededGenerator(seed: UInt64(10 * block + seed + 1))
            let plant = HiddenPlant(
                FeltAcceleration.model(of: coin), .family, from: &generator)
            let result = try HiddenFit(of: plant, configured: coin, from: &generator)
            let values = try compared(result.fit, plant)
            for value in values {
                #expect(
                    abs(value.fitted.value - value.truth) <= value.most,
                    "seed \(10 * block + seed + 1): \(value)")
            }
            #expect(!result.explanation.isMisfit, "\(result.explanation)")
            all += values
        }
        let covered = all.count { $0.isCovered }
        #expect(10 * covered >= 9 * all.count, "\(covered) of \(all.count)")
    }

    @Test(arguments: coins, [HiddenPlant.Shape.secondResonance, .stiction, .softMount])
    func otherPlantsAreReportedAsMisfits(
        _ coin: ActuatorConfiguration, _ shape: HiddenPlant.Shape
    ) throws {
        for seed in 0..<5 {
            var generator = SeededGenerator(seed: UInt64(seed + 1))
            let plant = HiddenPlant(
                FeltAcceleration.model(of: coin), shape, from: &generator)
            do {
                let result = try HiddenFit(of: plant, configured: coin, from: &generator)
                #expect(result.explanation.isMisfit, "seed \(seed + 1): \(result.explanation)")
            } catch {
                #expect(error == .noModel, "seed \(seed + 1)")
            }
        }
    }

    @Test func anActuatorThatGrowsWeakerIsReported() throws {
        var generator = SeededGenerator(seed: 7)
        let coin = ActuatorConfiguration.coinLRA
        let plant = HiddenPlant(FeltAcceleration.model(of: coin), .family, from: &generator)
        let sensor = HiddenSensor(movedBy: plant, from: &generator)
        let excitation = Excitation.main(.lra)
        let drive = coin.drive(
            playing: excitation.compiled.events, tick: excitation.compiled.tick)
        var samples = sensor.record(drive)
        let rest = samples.prefix(50).reduce(0) { $0 + $1.acceleration } / 50
        let middle = Double(drive.last?.time ?? 0) / 2
        for index in samples.indices where samples[index].time > middle {
            samples[index].acceleration = rest + (samples[index].acceleration - rest) * 0.85
        }
        let record = try VibrationRecord(samples, drive: drive, sensor: sensor.properties)
        let fit = try FittedActuator(
            FitRecords(main: record), nominal: FeltAcceleration.model(of: coin))
        #expect(fit.shape.contains { $0.contains("the same level is 15 % weaker") }, "\(fit.shape)")
    }

    // MARK: Records that cannot be fitted

    private static let drive = [
        DriveChange(time: 100_000, actuator: 0, drive: 255),
        DriveChange(time: 250_000, actuator: 0, drive: 0),
    ]

    /// Creates a record of 400 ms at 1,600 Hz.
    private func record(
        from start: Double = 0, _ acceleration: (_ time: Double, _ noise: Double) -> Double
    ) throws(FitError) -> VibrationRecord {
        var generator = SeededGenerator(seed: 1)
        let times = (0..<640).map { start + Double($0) * 625 }
        let samples = times.map { time in
            RecordedAcceleration.Sample(
                time: time,
                acceleration: acceleration(
                    time, Double.random(in: -0.01...0.01, using: &generator)))
        }
        let sensor = SensorProperties(of: .lis3dh)!
        return try VibrationRecord(samples, drive: Self.drive, sensor: sensor)
    }

    private func fit(_ record: VibrationRecord) throws(FitError) -> FittedActuator {
        try FittedActuator(
            FitRecords(main: record), nominal: FeltAcceleration.model(of: .coinLRA))
    }

    @Test func recordsThatCannotBeFittedAreRefused() throws {
        #expect(throws: FitError.noRest) { try record(from: 95_000) { $1 } }
        #expect(throws: FitError.clipped(range: 8)) {
            try record { time, noise in 100_000..<250_000 ~= time ? 8 : 1 + noise }
        }
        let still = try record { 1 + $1 }
        #expect {
            try fit(still)
        } throws: {
            if case .noMotion = $0 as? FitError { true } else { false }
        }
        let shaken = try record { 1 + 10 * $1 }
        #expect {
            try fit(shaken)
        } throws: {
            if case .noise = $0 as? FitError { true } else { false }
        }
    }

    @Test func anLRAInOpenLoopIsNotSupported() throws {
        var model = FeltAcceleration.model(of: .coinLRA)
        model.closed_loop = false
        let moving = try record { time, noise in
            noise + (100_000..<250_000 ~= time ? (Int(time) / 2_500 % 2 == 0 ? 1 : -1) : 0)
        }
        #expect(throws: FitError.unsupported) {
            try FittedActuator(FitRecords(main: moving), nominal: model)
        }
    }
}
