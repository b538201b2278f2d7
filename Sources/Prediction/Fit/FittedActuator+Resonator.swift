// The fit of an LRA in closed loop: resonance, time constant, acceleration and delay.

import CDRV2605Model

extension FittedActuator {
    /// The range of frequencies in which the resonance is searched for, in hertz.
    private static let resonances = 100.0...330.0
    /// The time constants from which the search begins, in milliseconds.
    private static let timeConstants = [6.0, 10, 16, 25, 40]

    init(resonator records: FitRecords, _ nominal: actuator_model) throws(FitError) {
        let record = records.main
        let steady = record.strongest(in: Excitation.steady(during: record), of: Self.resonances)
        func residuals(_ values: [Double]) -> [Double]? {
            guard let model = Self.resonator(nominal, values) else { return nil }
            return VibrationModel(model, during: record).residuals(delay: values[3] * 1_000)
        }
        let first = Self.timeConstants.map { [steady.frequency, $0, steady.amplitude, 1] }
            .leastSum(residuals)
        guard let first,
            let fit = LeastSquares(from: first, steps: [0.3, 0.3, 0.01, 0.1], residuals),
            let model = Self.resonator(nominal, fit.parameters)
        else { throw .noModel }
        self.init(fit, model, records)
    }

    /// Returns the model of an LRA with a resonance in hertz, a time constant in milliseconds and
    /// an acceleration in g; nil if these values are impossible.
    private static func resonator(_ nominal: actuator_model, _ values: [Double]) -> actuator_model?
    {
        guard values[0] > 50, 1...200 ~= values[1], values[2] > 0, -20...50 ~= values[3] else {
            return nil
        }
        var model = nominal
        model.parameters.lra.resonance_hz = values[0]
        model.parameters.lra.quality = .pi * values[0] * values[1] / 1_000
        model.parameters.lra.rated_acceleration_g = values[2]
        return model
    }
}

extension [[Double]] {
    /// Returns the element for which the sum of the squared residuals is least; nil if all elements
    /// are impossible.
    func leastSum(_ residuals: ([Double]) -> [Double]?) -> [Double]? {
        compactMap { values in
            residuals(values).map { (values, $0.reduce(0) { $0 + $1 * $1 }) }
        }.min { $0.1 < $1.1 }?.0
    }
}
