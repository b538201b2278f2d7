// The fit of an ERM: speed, time constant, acceleration, loop gain, friction, delay and start.

import CDRV2605Model

extension FittedActuator {
    /// The range of rotations per second in which the rated speed is searched for.
    private static let speeds = 40.0...400.0
    /// The factors of the nominal time constant from which the search begins.
    private static let factors = [0.67, 0.83, 1, 1.2, 1.5]

    init(motor records: FitRecords, _ nominal: actuator_model) throws(FitError) {
        let record = records.main
        let motor = Motor(nominal: nominal)
        let steady = record.strongest(in: Excitation.steady(during: record), of: Self.speeds)
        func residuals(_ values: [Double]) -> [Double]? {
            guard let model = motor.model(values) else { return nil }
            return VibrationModel(model, during: record).residuals(delay: values[3] * 1_000)
        }
        let nominalTime = nominal.parameters.erm.time_constant_s * 1_000
        let first = Self.factors.flatMap { factor in
            [0.06, 0.09, 0.12].flatMap { friction in
                (motor.gain > 0 ? [1.3, 2, 3] : [0]).map { gain in
                    [
                        steady.frequency, nominalTime * factor, steady.amplitude, 0.8,
                        friction * (motor.gain > 0 ? 1 : 3), gain,
                    ]
                }
            }
        }.map { motor.gain > 0 ? $0 : Array($0.dropLast()) }.leastSum(residuals)
        let steps = [0.3, 0.3, 0.01, 0.1, 0.001, 0.03]
        guard let first,
            let fit = LeastSquares(
                from: first, steps: Array(steps.prefix(first.count)), residuals),
            let model = motor.model(fit.parameters)
        else { throw .noModel }
        self.init(fit, model, records)
        let (values, scatter) = (fit.parameters, fit.uncertainties)
        let gain = values.count > 5 ? values[5] : 0
        let gainUncertainty =
            values.count > 5 ? combined(scatter[5], Systematic.ofLoop * gain) : 0
        // The friction consumes the same fraction of the drive at every gain.
        let friction = values[4] * (1 + gain)
        running = Value(
            friction,
            standard: friction
                * combined(
                    scatter[4] / values[4], gainUncertainty / (1 + gain), Systematic.ofLoop))
        if gain > 0 { loopGain = Value(gain, standard: gainUncertainty) }
        if let start = records.start {
            let found = motor.start(in: start, values)
            self.start = Value(
                found.level * (1 + gain),
                standard: found.level * (1 + gain)
                    * combined(
                        found.uncertainty / max(found.level, 1e-9), gainUncertainty / (1 + gain),
                        Systematic.ofLoop))
            self.model.parameters.erm.start_voltage_v =
                found.level * (1 + gain) * nominal.parameters.erm.rated_voltage_v
        }
    }
}

/// The model of an ERM as a function of the fitted values: the rotations per second, the time constant
/// in milliseconds, the acceleration in g, the delay in milliseconds, the fraction of the drive
/// that the friction consumes and, in closed loop, the loop gain.
private struct Motor {
    let nominal: actuator_model

    /// The nominal loop gain; 0 in open loop.
    var gain: Double { nominal.closed_loop ? nominal.parameters.erm.loop_gain : 0 }

    /// Returns the model; nil if the values are impossible.
    ///
    /// - Parameter start: the drive that starts the motor, 0...1; nil if every drive starts it.
    func model(_ values: [Double], start: Double? = nil) -> actuator_model? {
        let gain = values.count > 5 ? values[5] : 0
        let friction = values[4] * (1 + gain)
        guard 20...500 ~= values[0], 2...1_000 ~= values[1], values[2] > 0, -20...50 ~= values[3],
            0...30 ~= gain, 0...0.97 ~= friction
        else { return nil }
        var model = nominal
        let rated = nominal.parameters.erm.rated_voltage_v
        model.parameters.erm.rated_speed_rad_s = 2 * .pi * values[0]
        model.parameters.erm.time_constant_s = values[1] / 1_000
        model.parameters.erm.rated_acceleration_g = values[2]
        model.parameters.erm.loop_gain = gain
        model.parameters.erm.running_voltage_v = friction * rated
        model.parameters.erm.start_voltage_v =
            max(friction, (start ?? 0) * (1 + gain)) * rated
        return model
    }

    /// Returns the drive, 0...1, that starts the motor in a record of a slowly rising drive, and its
    /// standard uncertainty.
    func start(in record: VibrationRecord, _ values: [Double]) -> (
        level: Double, uncertainty: Double
    ) {
        let steps = 255
        let candidates = (Int((values[4] * Double(steps)).rounded(.up))...steps).map {
            (Double($0) - 0.5) / Double(steps)
        }
        let sums = candidates.map { level in
            model(values, start: level).map { model in
                VibrationModel(model, during: record).improbability(delay: values[3] * 1_000)
            } ?? .infinity
        }
        guard let least = sums.min(), let index = sums.firstIndex(of: least) else { return (0, 1) }
        // At a difference of 4, the level differs by two standard uncertainties.
        let low = sums.firstIndex { $0 < least + 4 } ?? index
        let high = sums.lastIndex { $0 < least + 4 } ?? index
        let level = (candidates[low] + candidates[high]) / 2
        return (level, (Double(high - low) / 4 + 0.6) / Double(steps))
    }
}
