// FittedComparison: the felt error of a pattern on a hidden plant, before and after a fit.

import BridgeLink
import CDRV2605Model
import DRV2605
import HapticBoards
import HapticCompiler
import HapticPatterns
import Prediction
import VirtualBoard

extension HiddenSensor {
    /// Plays an excitation on the plant and records it, as `bridge fit` does on a board.
    ///
    /// - Parameter gain: the calibrated gain of the sensor.
    public func record(
        _ excitation: Excitation, on configuration: ActuatorConfiguration, gain: Double
    ) throws(FitError) -> VibrationRecord {
        let pattern = excitation.compiled
        let drive = configuration.drive(playing: pattern.events, tick: pattern.tick)
        return try VibrationRecord(
            record(drive), drive: drive, sensor: properties, sensitivity: Sensitivity(gain: gain))
    }
}

/// The result of a fit on a hidden plant.
public struct HiddenFit {
    /// The fitted actuator.
    public let fit: FittedActuator
    /// The agreement of the fit with a record that the fit did not use.
    public let explanation: FitExplanation

    /// Fits a plant with the values of an accelerometer that the plant moves.
    public init(
        of plant: HiddenPlant, configured configuration: ActuatorConfiguration,
        from generator: inout SeededGenerator
    ) throws(FitError) {
        let kind: Plant.Kind = configuration.kind == .erm ? .erm : .lra
        let sensor = HiddenSensor(movedBy: plant, from: &generator)
        let gain = sensor.calibratedGain()
        let main = try sensor.record(.main(kind), on: configuration, gain: gain)
        var records = FitRecords(main: main, gainUncertainty: 0.01)
        if kind == .erm {
            records.start = try sensor.record(
                .start(inClosedLoop: !configuration.isOpenLoop), on: configuration, gain: gain)
        }
        fit = try FittedActuator(records, nominal: FeltAcceleration.model(of: configuration))
        explanation = fit.explanation(
            of: try sensor.record(.unused(kind), on: configuration, gain: gain))
    }
}

/// The felt errors of a pattern on a hidden plant.
public struct FittedComparison {
    /// The error of the plan for the configured actuator.
    public let before: FeltError
    /// The error of the plan for the fitted actuator.
    public let after: FeltError
    /// The error of the plan for the true properties of the plant.
    public let known: FeltError
    /// The error of the best possible drive, in which a level can have any value.
    public let optimum: FeltError
    /// The mean error of the design if each level and each tap had the nearest of the 256 levels of
    /// a stream, in steps.
    public let rounding: Double

    /// Creates a plant whose properties deviate at random from a configuration, fits the plant, and
    /// compares the plans for a pattern.
    ///
    /// - Parameter limit: the time, in microseconds, up to which the plans are compared.
    public init(
        of pattern: HapticPattern, until limit: Microseconds,
        configured configuration: ActuatorConfiguration, from generator: inout SeededGenerator
    ) throws {
        let nominal = FeltAcceleration.model(of: configuration)
        let plant = HiddenPlant(nominal, .family, from: &generator)
        let fit = try HiddenFit(of: plant, configured: configuration, from: &generator).fit
        let fitted = fit.applied(to: configuration)
        let design = FeltDesign(pattern, until: limit)
        func error(_ profile: DeviceProfile) throws -> FeltError {
            let compiled = HapticCompiler.compile(pattern, measured: profile)
            let length = min(compiled.renderedDuration, limit + 1_000_000) + 500_000
            let drive = try Rehearsal(
                of: compiled.bytes, tick: Int(compiled.tick), length: compiled.renderedDuration,
                on: configuration
            ).drive
            let felt = FeltAcceleration(of: drive, on: plant.truth, for: length)
            return FeltError(of: felt.samples.map { $0 / felt.rated }, against: design)
        }
        before = try error(DeviceProfile(of: configuration))
        after = try error(fit.applied(to: DeviceProfile(of: fitted)))
        var truth = Self.profile(of: plant.truth, configured: configuration)
        truth.isMeasured = true
        known = try error(truth)
        optimum = OptimalDrive(for: design, on: plant.truth).error
        rounding = design.rounding
    }

    /// Returns the profile of a configured actuator with the properties of a model.
    private static func profile(
        of model: actuator_model, configured configuration: ActuatorConfiguration
    ) -> DeviceProfile {
        var known = configuration
        guard model.kind == ACTUATOR_ERM else {
            known.plant.timeConstant = HiddenPlant.timeConstant(model) * 1_000
            return DeviceProfile(of: known)
        }
        let erm = model.parameters.erm
        known.plant.timeConstant = erm.time_constant_s * 1_000
        known.plant.startVoltage = erm.start_voltage_v
        known.plant.runningVoltage = erm.running_voltage_v
        var profile = DeviceProfile(of: known)
        profile.plant?.loopGain = erm.loop_gain
        return profile
    }
}

extension FeltDesign {
    /// See ``FittedComparison/rounding``.
    fileprivate var rounding: Double {
        let levels = (0...255).map { Self.steps(of: Double($0) / 255) }
        func error(_ lower: Double, _ upper: Double) -> Double {
            levels.lazy.map { max(0, lower - $0, $0 - upper) }.min() ?? 0
        }
        let tapSum = taps.reduce(0) { $0 + error($1.wanted.lowerBound, $1.wanted.upperBound) }
        let levelSum = zip(lower, upper).reduce(0) { $0 + error($1.0, $1.1) }
        return (levelSum + FeltError.tapWeight * tapSum) / max(weight, 1)
    }
}
