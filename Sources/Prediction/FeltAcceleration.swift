// FeltAcceleration: the acceleration at the finger, either measured or predicted for a drive by a
// model of the actuator.

import BridgeLink
import CDRV2605Model
import DRV2605
import HapticCompiler
import VirtualBoard

/// The predicted or measured acceleration of an actuator over time.
///
/// The model is `Firmware/model/actuator_model.h`. The configuration determines the resonance, the
/// voltages, the loop and the plant. A value that the plant does not specify is taken from the
/// model's standard coin actuator: an LRA with 1.5 g or an ERM with 0.8 g. An actuator with a band
/// is modeled as equally quick at each frequency, and as strong as its response states.
public struct FeltAcceleration: Sendable {
    /// The peak acceleration of the vibration in g, with one value for each millisecond, beginning
    /// at time 0.
    public let samples: FeltSamples
    /// The acceleration at full level, in g.
    public let rated: Double

    /// The time between two samples, in microseconds.
    public static let step: BoardTime = 1_000

    /// Predicts the acceleration that a drive causes.
    ///
    /// - Parameters:
    ///   - drive: the changes in the drive, in order of time. The initial drive is the drive after
    ///     the last change at or before time 0.
    ///   - band: the band of the actuator with its response; nil if the actuator is considered
    ///     equally strong at each frequency.
    ///   - length: the length of the prediction, in microseconds.
    public init(
        of drive: [DriveChange], on configuration: ActuatorConfiguration,
        band: FrequencyBand? = nil, for length: BoardTime
    ) {
        self.init(of: drive, on: Self.model(of: configuration), band: band, for: length)
    }

    /// Predicts the acceleration that a drive causes on a modeled actuator at rest.
    package init(
        of drive: [DriveChange], on model: actuator_model, band: FrequencyBand? = nil,
        for length: BoardTime
    ) {
        var model = model
        let response = band.map { BandDrive($0) }
        func strength(_ change: DriveChange) -> Int16 {
            guard let response, change.frequency > 0 else { return Int16(change.drive) }
            let strength = response.intensity(ofDrive: Double(change.drive), at: change.frequency)
            return Int16(min(max(strength.rounded(), -Double(Int16.max)), Double(Int16.max)))
        }
        rated = Self.rated(model)
        var rest = drive.drop { $0.time <= 0 }
        var present = drive.last { $0.time <= 0 }.map(strength) ?? 0
        var samples = FeltSamples()
        let count = Int((length + Self.step - 1) / Self.step)
        while samples.count < count {
            let time = BoardTime(samples.count) * Self.step
            while let change = rest.first, change.time <= time {
                actuator_model_advance(&model, UInt64(change.time), present)
                present = strength(change)
                rest.removeFirst()
            }
            let before = model
            actuator_model_advance(&model, UInt64(time), present)
            samples.append(actuator_model_acceleration_g(&model))
            guard model.isUnchangedByStep(since: before) else { continue }
            // The state remains the same until the drive changes.
            let next = rest.first.map { Int(($0.time + Self.step - 1) / Self.step) } ?? count
            samples.append(
                actuator_model_acceleration_g(&model), count: min(next, count) - samples.count)
            model.now_us = UInt64(BoardTime(samples.count - 1) * Self.step)
        }
        self.samples = samples
    }

    /// Creates an acceleration that was measured.
    ///
    /// - Parameters:
    ///   - values: the peak acceleration in g, one value for each millisecond, beginning at time 0.
    ///   - full: the acceleration at full level, in g.
    public init(measured values: [Double], full: Double) {
        (samples, rated) = (FeltSamples(values), full)
    }

    /// The factors that the values of FB_BRAKE_FACTOR, bits 6 to 4 of register 0x1A, represent. The
    /// last value disables braking (SLOS854D 8.6.18).
    static let brakeFactors: [Double] = [1, 2, 3, 4, 6, 8, 16, 0]

    /// Returns the acceleration at full level, in g.
    package static func rated(_ model: actuator_model) -> Double {
        model.kind == ACTUATOR_ERM
            ? model.parameters.erm.rated_acceleration_g
            : model.parameters.lra.rated_acceleration_g
    }

    /// Returns the model of a configured actuator at rest.
    package static func model(of configuration: ActuatorConfiguration) -> actuator_model {
        var model = actuator_model()
        let overdriveRatio =
            Double(configuration.overdrive) / 1000 / ratedVoltage(of: configuration)
        if configuration.kind == .erm {
            var parameters = motor(of: configuration)
            parameters.full_scale_voltage_v = parameters.rated_voltage_v
            parameters.clamp_voltage_v = parameters.rated_voltage_v * overdriveRatio
            parameters.brake_factor = brakeFactors[Int(configuration.image[0x1A] >> 4 & 7)]
            actuator_model_init_erm(&model, &parameters)
        } else {
            var parameters = resonator(of: configuration)
            parameters.full_scale_ratio = 1
            parameters.clamp_ratio = overdriveRatio
            actuator_model_init_lra(&model, &parameters)
        }
        model.closed_loop = !configuration.isOpenLoop
        return model
    }

    /// Returns the rated voltage in volts, above 0.
    private static func ratedVoltage(of configuration: ActuatorConfiguration) -> Double {
        Double(max(1, configuration.rated)) / 1000
    }

    /// Returns the standard LRA with the resonance of a configuration and with the values that its
    /// plant specifies.
    private static func resonator(
        of configuration: ActuatorConfiguration
    ) -> actuator_lra_parameters {
        var parameters = actuator_lra_coin_10mm
        let plant = configuration.plant
        parameters.resonance_hz = Double(configuration.resonance) / 10
        if plant.timeConstant > 0 {
            parameters.quality = .pi * parameters.resonance_hz * plant.timeConstant / 1000
        }
        if plant.acceleration > 0 { parameters.rated_acceleration_g = plant.acceleration }
        return parameters
    }

    /// Returns the standard ERM with the rated voltage of a configuration and with the values that
    /// its plant specifies.
    private static func motor(
        of configuration: ActuatorConfiguration
    ) -> actuator_erm_parameters {
        var parameters = actuator_erm_coin_b1034
        let plant = configuration.plant
        let rated = ratedVoltage(of: configuration)
        let scale = rated / parameters.rated_voltage_v
        parameters.rated_voltage_v = rated
        parameters.start_voltage_v =
            plant.startVoltage > 0 ? plant.startVoltage : parameters.start_voltage_v * scale
        // Devices do not check the plant. The friction is limited here, because the model cannot
        // represent a motor whose friction consumes the whole voltage.
        parameters.running_voltage_v =
            plant.runningVoltage > 0
            ? min(plant.runningVoltage, Plant.runningMax * rated)
            : parameters.running_voltage_v * scale
        if plant.timeConstant > 0 { parameters.time_constant_s = plant.timeConstant / 1000 }
        if plant.acceleration > 0 { parameters.rated_acceleration_g = plant.acceleration }
        return parameters
    }
}

extension actuator_model {
    /// Returns whether the state is unchanged after a whole step.
    fileprivate func isUnchangedByStep(since before: actuator_model) -> Bool {
        now_us - before.now_us == UInt64(FeltAcceleration.step)
            && amplitude_real == before.amplitude_real
            && amplitude_imaginary == before.amplitude_imaginary
            && speed_rad_s == before.speed_rad_s
    }
}
