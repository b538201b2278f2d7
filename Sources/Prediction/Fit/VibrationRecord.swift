// VibrationRecord: the acceleration that was measured while an actuator was driven.

import VirtualBoard

/// The acceleration along one axis, measured from before the start of a drive until after its end.
public struct VibrationRecord: Sendable {
    /// The times of the samples, in microseconds from the start of the stream, in ascending order.
    let times: [Double]
    /// The acceleration at these times without its constant part, in g.
    let values: [Double]
    /// The standard deviation of the acceleration at rest, in g.
    public let noise: Double
    /// The bandwidth of the sensor in hertz.
    let bandwidth: Double
    /// The greatest acceleration that the sensor can measure, in g.
    let range: Double
    /// The largest absolute value that was measured, in g. The value contains gravity.
    let greatest: Double
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
    /// The minimum number of samples at rest.
    private static let leastRest = 20

    /// Creates a record of samples.
    ///
    /// - Parameters:
    ///   - samples: the time of each sample in the stream, in microseconds, and its acceleration in g.
    ///   - drive: the changes of the drive in the stream. The actuator rests before the first change.
    ///   - bandwidth: the bandwidth of the sensor in hertz.
    ///   - range: the greatest acceleration that the sensor can measure, in g.
    ///   - gain: the measured gain of the sensor, by which the samples are divided.
    /// - Throws: ``FitError`` if the samples do not show the actuator at rest, or are clipped.
    public init(
        _ samples: [(time: Double, acceleration: Double)], drive: [DriveChange], bandwidth: Double,
        range: Double, gain: Double = 1
    ) throws(FitError) {
        let start = drive.first.map { Double($0.time) } ?? 0
        let rest = samples.filter { $0.time < start - Self.margin }.map(\.acceleration)
        guard rest.count >= Self.leastRest else { throw .noRest }
        let mean = rest.reduce(0, +) / Double(rest.count)
        let squares = rest.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        times = samples.map(\.time)
        values = samples.map { ($0.acceleration - mean) / gain }
        noise = (squares / Double(rest.count - 1)).squareRoot() / gain
        let first = times.first ?? 0
        windows = times.map { Int(($0 - first) / Self.window) }
        greatest = samples.lazy.map { abs($0.acceleration) }.max() ?? 0
        guard greatest < 0.99 * range else { throw .clipped(range: range) }
        (self.drive, self.bandwidth, self.range) = (drive, bandwidth, range)
    }

    /// The root mean square of the acceleration while the actuator moves, in g.
    public var strength: Double {
        let start = drive.first.map { Double($0.time) } ?? 0
        let moving = zip(times, values).filter { $0.0 > start }.map { $0.1 * $0.1 }
        return (moving.reduce(0, +) / Double(max(moving.count, 1))).squareRoot()
    }

    /// The gain of the sensor's filter at a frequency: the gain of a second-order Butterworth
    /// low-pass filter.
    func filterGain(at frequency: Double) -> Double {
        let ratio = frequency / bandwidth
        return 1 / (1 + ratio * ratio * ratio * ratio).squareRoot()
    }

    /// Returns the frequency and the amplitude of the strongest vibration between two times, in hertz
    /// and g.
    func strongest(
        in range: ClosedRange<Double>, of frequencies: ClosedRange<Double>
    ) -> (frequency: Double, amplitude: Double) {
        let samples = zip(times, values).filter { range.contains($0.0) }
        guard !samples.isEmpty else { return (frequencies.lowerBound, 0) }
        return stride(from: frequencies.lowerBound, through: frequencies.upperBound, by: 0.5).lazy
            .map { frequency in
                var (real, imaginary) = (0.0, 0.0)
                for (time, value) in samples {
                    let wave = Wave(turns: frequency * time * 1e-6)
                    real += value * wave.cosine
                    imaginary += value * wave.sine
                }
                let sum = (real * real + imaginary * imaginary).squareRoot()
                let amplitude = 2 * sum / Double(samples.count) / filterGain(at: frequency)
                return (frequency, amplitude)
            }.max { $0.amplitude < $1.amplitude }!
    }
}
