// FittedActuator: the motion of an actuator, determined from measurements.

import CDRV2605Model

/// The motion of an actuator, determined from the acceleration that it caused.
///
/// Accelerations are the accelerations at the sensor, along its axis, and with its mounting.
public struct FittedActuator: Sendable {
    /// A value and its expanded uncertainty (coverage factor 2).
    public struct Value: Sendable, Hashable {
        /// The value.
        public var value: Double
        /// The expanded uncertainty.
        public var uncertainty: Double

        /// Creates a value from its standard uncertainty.
        init(_ value: Double, standard: Double) {
            self.value = value
            uncertainty = 2 * standard
        }

        /// Returns the value in another unit.
        public func scaled(by factor: Double) -> Value {
            Value(value * factor, standard: uncertainty / 2 * factor)
        }
    }

    /// The resonance of an LRA, or the rotations per second of an ERM at its rated voltage, in hertz.
    public var frequency: Value
    /// The time constant of the amplitude or of the speed, in milliseconds.
    public var timeConstant: Value
    /// The peak acceleration at the rated voltage, in g.
    public var acceleration: Value
    /// The delay of the measured motion relative to the drive, in milliseconds.
    public var delay: Value
    /// The voltage that starts an ERM, relative to the rated voltage; nil for an LRA.
    public var start: Value?
    /// The voltage that overcomes the friction of a turning ERM, relative to the rated voltage; nil
    /// for an LRA.
    public var running: Value?
    /// The gain of the closed loop of an ERM; nil for an LRA and in open loop.
    public var loopGain: Value?
    /// The remaining difference at each level that was held, in the order of the excitation: the
    /// level, 0...1, and the ratio of the measured to the fitted acceleration.
    public var levels: [(level: Double, ratio: Double)] = []

    /// The model with the fitted values.
    package var model: actuator_model

    /// Returns the agreement of the model with a record that was not used for the fit.
    public func explanation(of record: VibrationRecord) -> FitExplanation {
        FitExplanation(
            of: record,
            VibrationModel(model, during: record).residuals(delay: delay.value * 1_000))
    }
}

/// The agreement of a model with a record.
public struct FitExplanation: Sendable, Hashable {
    /// The root mean square of the measured vibration, in g.
    public let measured: Double
    /// The root mean square of the difference between measurement and model, without the noise of
    /// the sensor and relative to ``measured``.
    public let unexplained: Double
    /// The ratio ``unexplained`` in the part of the record in which the difference is greatest.
    public let worst: Double

    /// The maximum differences at which a model is still considered to describe an actuator.
    private static let most = (unexplained: 0.05, worst: 0.2)

    /// True if the model does not describe the actuator.
    public var isMisfit: Bool {
        unexplained > Self.most.unexplained || worst > Self.most.worst
    }

    init(of record: VibrationRecord, _ residuals: [Double]) {
        let variance = record.noise * record.noise
        func excess(_ indices: some Collection<Int>) -> Double {
            let sum = indices.reduce(0) { $0 + residuals[$1] * residuals[$1] }
            let mean = sum / Double(max(indices.count, 1))
            // The variance of the noise is known with an accuracy of about a quarter.
            return max(0, mean - 1.25 * variance).squareRoot()
        }
        let start = Double(record.drive.first?.time ?? 0)
        let moving = record.samples.indices.filter { record.samples[$0].time > start }
        measured = record.strength
        let strength = max(measured, 1e-9)
        unexplained = excess(moving) / strength
        let windows = Dictionary(grouping: moving) { record.windows[$0] }
        worst = (windows.values.map { excess($0) }.max() ?? 0) / strength
    }
}
