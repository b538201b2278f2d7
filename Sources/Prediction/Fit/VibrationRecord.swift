// VibrationRecord: the acceleration that was measured while an actuator was driven.

import BridgeLink
import VirtualBoard

/// The acceleration along one axis, measured from before the start of a drive until after its end.
public struct VibrationRecord: Sendable {
    /// The measured acceleration.
    let signal: MotionSignal
    /// The properties of the sensor.
    let sensor: SensorProperties
    /// The number of the window that contains each sample.
    let windows: [Int]
    /// The drive during the record.
    let drive: [DriveChange]

    /// The length of a window in microseconds. Within a window, the model must predict the frequency
    /// so accurately that its phase remains correct.
    private static let window = 24_000.0
    /// The time at the end of the rest that is ignored, in microseconds, because the times of samples
    /// are uncertain.
    private static let margin = 1_000.0

    /// Creates a record of samples.
    ///
    /// - Parameters:
    ///   - samples: the recorded samples, with times in microseconds after the start of the stream.
    ///   - drive: the changes of the drive in the stream. The actuator rests before the first change.
    ///   - sensor: the properties of the sensor.
    ///   - sensitivity: the correction of the sensor.
    /// - Throws: ``FitError`` if the samples do not show the actuator at rest, or are clipped.
    public init(
        _ samples: [RecordedAcceleration.Sample], drive: [DriveChange], sensor: SensorProperties,
        sensitivity: Sensitivity = Sensitivity()
    ) throws(FitError) {
        let start = drive.first.map { Double($0.time) } ?? 0
        guard
            let signal = MotionSignal(
                samples, range: sensor.range, sensitivity: sensitivity,
                restEnd: start - Self.margin)
        else { throw .noRest }
        guard signal.clipped == 0 else { throw .clipped(range: sensor.range) }
        let first = samples[0].time
        windows = samples.map { Int(($0.time - first) / Self.window) }
        (self.signal, self.sensor, self.drive) = (signal, sensor, drive)
    }

    /// The times of the samples in the stream in microseconds, in ascending order, and their
    /// accelerations without the acceleration at rest, in g.
    var samples: [RecordedAcceleration.Sample] { signal.samples }

    /// The standard deviation of the acceleration at rest, in g.
    public var noise: Double { signal.noise }

    /// The root mean square of the acceleration while the actuator moves, in g.
    public var strength: Double {
        let start = drive.first.map { Double($0.time) } ?? 0
        let squares = samples.filter { $0.time > start }.map { $0.acceleration * $0.acceleration }
        return (squares.reduce(0, +) / Double(max(squares.count, 1))).squareRoot()
    }

    /// Returns the frequency and the amplitude of the strongest vibration between two times, in hertz
    /// and g.
    func strongest(
        in range: ClosedRange<Double>, of frequencies: ClosedRange<Double>
    ) -> (frequency: Double, amplitude: Double) {
        let samples = samples[signal.indices(in: range)]
        guard !samples.isEmpty else { return (frequencies.lowerBound, 0) }
        return stride(from: frequencies.lowerBound, through: frequencies.upperBound, by: 0.5).lazy
            .map { frequency in
                var (real, imaginary) = (0.0, 0.0)
                for sample in samples {
                    let wave = Wave(turns: frequency * sample.time * 1e-6)
                    real += sample.acceleration * wave.cosine
                    imaginary += sample.acceleration * wave.sine
                }
                let sum = (real * real + imaginary * imaginary).squareRoot()
                let amplitude = 2 * sum / Double(samples.count) / sensor.gain(at: frequency)
                return (frequency, amplitude)
            }.max { $0.amplitude < $1.amplitude }!
    }
}
