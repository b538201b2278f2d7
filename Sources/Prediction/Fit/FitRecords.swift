// FitRecords: the records of an actuator, and the fit of its motion to these records.

import CDRV2605Model

/// The records from which the motion of an actuator is determined.
public struct FitRecords: Sendable {
    /// The record of ``Excitation/main``.
    public var main: VibrationRecord
    /// The record of ``Excitation/start``; nil for an LRA.
    public var start: VibrationRecord?
    /// The standard uncertainty of the sensor's gain, relative to the gain.
    public var gainUncertainty: Double

    /// The standard uncertainty of a gain that has not been calibrated and deviates by up to 10 %.
    public static let uncalibrated = 0.1 / 3.0.squareRoot()

    /// Creates the records of an actuator.
    public init(
        main: VibrationRecord, start: VibrationRecord? = nil, gainUncertainty: Double = uncalibrated
    ) {
        (self.main, self.start, self.gainUncertainty) = (main, start, gainUncertainty)
    }
}

extension VibrationRecord {
    /// The maximum noise for which a fit is useful, in g.
    private static let mostNoise = 0.05
    /// The ratio of vibration to noise below which the actuator is assumed not to move.
    private static let leastStrength = 3.0

    /// Throws an error if the record does not show a motion of the actuator clearly.
    func requireMotion() throws(FitError) {
        guard noise < Self.mostNoise else { throw .noise(noise) }
        guard strength > Self.leastStrength * noise else {
            throw .noMotion(measured: strength, noise: noise)
        }
    }
}

extension FittedActuator {
    /// Determines the motion of an actuator.
    ///
    /// - Parameters:
    ///   - records: the measured acceleration.
    ///   - nominal: the model of the configured actuator, from which the search begins. The
    ///     voltages, the loop and the brake of this model are not changed.
    /// - Throws: ``FitError``.
    public init(_ records: FitRecords, nominal: actuator_model) throws(FitError) {
        try records.main.requireMotion()
        if nominal.kind == ACTUATOR_ERM {
            try self.init(motor: records, nominal)
        } else if nominal.closed_loop {
            try self.init(resonator: records, nominal)
        } else {
            throw .unsupported
        }
        levels = Excitation.heldLevels(during: records.main).compactMap { held in
            VibrationModel(model, during: records.main)
                .ratio(in: held.range, delay: delay.value * 1_000).map { (held.level, $0) }
        }
    }
}

extension FittedActuator {
    /// Creates the fit from the values that all actuators have. The parameters of `fit` begin with the
    /// frequency in hertz, the time constant in milliseconds, the acceleration in g and the delay in
    /// milliseconds.
    init(_ fit: LeastSquares, _ model: actuator_model, _ records: FitRecords) {
        let (values, scatter) = (fit.parameters, fit.uncertainties)
        let systematic = Systematic(record: records.main)
        frequency = Value(
            values[0], standard: combined(scatter[0], systematic.ofFrequency(values[0])))
        timeConstant = Value(
            values[1],
            standard: combined(
                scatter[1], values[1] * systematic.ofTimeConstant(values[1] / 1_000)))
        acceleration = Value(
            values[2],
            standard: combined(
                scatter[2], values[2] * systematic.ofAcceleration(at: values[0]),
                values[2] * records.gainUncertainty))
        delay = Value(values[3], standard: combined(scatter[3], Systematic.ofDelay))
        self.model = model
    }
}

/// The uncertainties that the scatter of the samples does not show.
struct Systematic {
    let record: VibrationRecord

    /// The standard uncertainty of a frequency, in hertz. The rate of the sensor's clock is
    /// determined with an accuracy of 100 parts per million.
    func ofFrequency(_ frequency: Double) -> Double { 0.05 + 1e-4 * frequency }

    /// The relative standard uncertainty of a time constant that is given in seconds. Only the
    /// bandwidth of the sensor's filter is known, and the time constant of the filter adds to that
    /// of the actuator.
    func ofTimeConstant(_ seconds: Double) -> Double {
        0.005 + 0.4 / (2 * .pi * record.sensor.bandwidth * seconds)
    }

    /// The relative standard uncertainty of an acceleration, without the uncertainty of the
    /// sensor's gain.
    func ofAcceleration(at frequency: Double) -> Double {
        0.005 + 0.2 * (1 - record.sensor.gain(at: frequency))
    }

    /// The relative standard uncertainty of the properties of an ERM's loop.
    static let ofLoop = 0.01
    /// The standard uncertainty of a delay, in milliseconds: the uncertainty of the sensor's delay.
    static let ofDelay = 0.15
}

/// Returns the standard uncertainty that results from several independent uncertainties.
func combined(_ uncertainties: Double...) -> Double {
    uncertainties.reduce(0) { $0 + $1 * $1 }.squareRoot()
}
