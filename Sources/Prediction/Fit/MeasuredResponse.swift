// MeasuredResponse: the response of an actuator with a band, determined from the acceleration that it
// causes.

import BridgeLink
import DRV2605
import HapticCompiler

/// The response of an actuator with a band, determined from the acceleration that it caused.
///
/// Accelerations are the accelerations at the sensor, along its axis, and with its mounting.
public struct MeasuredResponse: Sendable {
    /// The acceleration at a frequency.
    public struct Point: Sendable, Hashable {
        /// The frequency in hertz.
        public var frequency: Double
        /// The peak acceleration at full level, in g.
        public var acceleration: FittedActuator.Value
    }

    /// The measured points, in ascending order of frequency.
    public let points: [Point]
    /// The band with its measured response.
    public let band: FrequencyBand
    /// The greatest difference between measurement and response at frequencies and a level that were
    /// not used for the response, relative to the response.
    public let unexplained: Double
    /// The ratio of the acceleration at the lowest frequency at the end of the measurement to that at
    /// its beginning.
    public let repetition: Double

    /// The greatest difference at which the response is still considered to describe the actuator: a
    /// just-noticeable difference of the intensity.
    private static let most = 0.2

    /// True if the response does not describe the actuator.
    public var isMisfit: Bool { unexplained > Self.most }

    /// Determines the response of an actuator.
    ///
    /// - Parameters:
    ///   - records: the measured acceleration during ``Excitation/main(_:)``.
    ///   - unused: the measured acceleration during ``Excitation/unused(_:)``.
    ///   - band: the band of the actuator.
    /// - Throws: ``FitError``.
    public init(
        _ records: FitRecords, unused: VibrationRecord, in band: FrequencyBand
    ) throws(FitError) {
        try records.main.requireMotion()
        let holds = try HeldFrequency.all(during: records.main)
        guard let first = holds.first, let last = holds.last else { throw .noModel }
        var points: [Point] = []
        for hold in holds where hold.frequency > points.last?.frequency ?? 0 {
            let systematic = Systematic(record: records.main)
            points.append(
                Point(
                    frequency: hold.frequency,
                    acceleration: FittedActuator.Value(
                        hold.acceleration,
                        standard: combined(
                            hold.scatter,
                            hold.acceleration * systematic.ofAcceleration(at: hold.frequency),
                            hold.acceleration * HeldFrequency.leakage,
                            hold.acceleration * records.gainUncertainty))))
        }
        repetition = last.acceleration / first.acceleration
        self.points = points
        var measured = band
        measured.response = points.map {
            // The gain of a band includes the loss by the driver's pauses, which the response does not.
            let pauses = (1 - band.idle * $0.frequency).squareRoot()
            return FrequencyBand.ResponsePoint(
                frequency: $0.frequency, gain: $0.acceleration.value / pauses)
        }
        self.band = measured
        unexplained =
            try HeldFrequency.all(during: unused)
            .map { abs($0.acceleration / measured.gain(at: $0.frequency) - 1) }.max() ?? 0
    }

    /// The acceleration of intensity 1 at each frequency of the rendered patterns, in g.
    public var acceleration: Double { BandDrive(band).leastGain }

    /// Returns a configuration with the measured acceleration. All other values are unchanged.
    public func applied(to configuration: ActuatorConfiguration) -> ActuatorConfiguration {
        var measured = configuration
        measured.plant.acceleration = acceleration
        return measured
    }
}

/// The vibration while one frequency is driven.
private struct HeldFrequency {
    /// The frequency of the drive in hertz.
    var frequency: Double
    /// The peak acceleration in g, scaled to full level.
    var acceleration: Double
    /// The standard uncertainty of the acceleration that results from the noise, in g.
    var scatter: Double

    /// The frequencies at which a vibration is searched for, in hertz.
    private static let searched = 50.0...500.0
    /// The maximum difference between the frequencies of drive and vibration, in hertz. It is half of
    /// the width of a spectral line of 80 ms.
    private static let tolerance = 12.0

    /// The relative standard uncertainty of an amplitude that is determined from 80 ms, in which the
    /// number of periods is not whole.
    static let leakage = 0.01

    /// Returns the vibrations of all drives of a record.
    static func all(during record: VibrationRecord) throws(FitError) -> [HeldFrequency] {
        var holds: [HeldFrequency] = []
        for (change, next) in zip(record.drive, record.drive.dropFirst()) where change.drive > 0 {
            let (start, end) = (Double(change.time), Double(next.time))
            let steady = (start + end) / 2...end
            let strongest = record.strongest(in: steady, of: searched)
            // A harmonic of the drive may be stronger than its fundamental.
            let order = max(1, (strongest.frequency / change.frequency).rounded())
            guard abs(strongest.frequency - order * change.frequency) <= tolerance else {
                throw .otherFrequency(drive: change.frequency, measured: strongest.frequency)
            }
            let near = change.frequency * 0.97...change.frequency * 1.03
            let scale = 255 / Double(change.drive)
            let samples = record.signal.indices(in: steady).count
            holds.append(
                HeldFrequency(
                    frequency: change.frequency,
                    acceleration: record.strongest(in: steady, of: near).amplitude * scale,
                    scatter: record.noise * (2 / Double(max(samples, 1))).squareRoot() * scale))
        }
        return holds
    }
}
