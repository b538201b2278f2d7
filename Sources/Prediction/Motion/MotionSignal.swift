// MotionSignal: the recorded acceleration of a board, relative to its acceleration at rest.

import BridgeLink

/// The acceleration along one axis during a playback, relative to the acceleration at rest.
public struct MotionSignal: Sendable {
    /// The times of the samples in the stream in microseconds, in ascending order, and the
    /// deviations from ``rest`` in g.
    public let samples: [RecordedAcceleration.Sample]
    /// The acceleration at rest in g: the part of gravity along the axis, and the zero error of the
    /// accelerometer.
    public let rest: Double
    /// The standard deviation of the samples at rest, in g.
    public let noise: Double
    /// The mean time between two samples, in microseconds.
    public let period: Double
    /// The number of samples at the limit of the accelerometer, which may have been clipped.
    public let clipped: Int

    /// The minimum number of samples at rest.
    private static let restMin = 8
    /// The deviation from the median, in g, from which a sample at rest counts as wrong.
    private static let wrong = 0.1
    /// The fraction of the range above which a sample counts as clipped.
    private static let limit = 0.99

    /// Creates the signal from a recording. Returns nil if the recording contains too few samples
    /// of the board at rest, or ends before the start of the stream.
    ///
    /// - Parameters:
    ///   - samples: the recorded samples, with times in microseconds after the start of the stream.
    ///   - range: the greatest acceleration that the accelerometer can measure, in g.
    ///   - sensitivity: the correction of the accelerometer.
    ///   - restEnd: the time in the stream until which the board is at rest, in microseconds.
    public init?(
        _ samples: [RecordedAcceleration.Sample], range: Double,
        sensitivity: Sensitivity = Sensitivity(), restEnd: Double = 0
    ) {
        let before = samples.prefix { $0.time < restEnd }.map(\.acceleration)
        guard before.count >= Self.restMin, let first = samples.first, let last = samples.last,
            last.time > 0
        else { return nil }
        // Single samples can be wrong because the accelerometer has just started. The mean of the
        // others is more exact than their median, which is a whole number of steps.
        let median = before.sorted()[before.count / 2]
        let deviations = before.map { $0 - median }.filter { abs($0) < Self.wrong }
        let rest = median + deviations.reduce(0, +) / Double(deviations.count)
        let squares = before.reduce(0) { $0 + ($1 - rest) * ($1 - rest) }
        self.rest = (rest - sensitivity.zero) / sensitivity.gain
        noise = (squares / Double(before.count - 1)).squareRoot() / sensitivity.gain
        period = (last.time - first.time) / Double(samples.count - 1)
        clipped = samples.count { abs($0.acceleration) >= Self.limit * range }
        self.samples = samples.map {
            RecordedAcceleration.Sample(
                time: $0.time, acceleration: ($0.acceleration - rest) / sensitivity.gain)
        }
    }

    /// Returns the indices of the samples in a range of times.
    func indices(in times: ClosedRange<Double>) -> Range<Int> {
        let first = samples.partitioningIndex { $0.time >= times.lowerBound }
        return first..<max(first, samples.partitioningIndex { $0.time > times.upperBound })
    }

    /// Returns the mean frequency of the vibration in a range of times, in hertz; nil if there is no
    /// clear vibration. The frequency must be less than a third of the rate of the samples.
    public func frequency(in times: ClosedRange<Double>) -> Double? {
        let samples = samples[indices(in: times)]
        let mean = samples.lazy.map(\.acceleration).reduce(0, +) / Double(max(1, samples.count))
        let clear = Self.clearness * noise
        var (rises, isHigh) = ([Double](), false)
        for (one, next) in zip(samples, samples.dropFirst()) {
            let (before, after) = (one.acceleration - mean, next.acceleration - mean)
            if before < 0, after >= 0, !isHigh {
                rises.append(one.time - before / (after - before) * (next.time - one.time))
            }
            isHigh = after > clear || isHigh && after > -clear
        }
        guard let first = rises.first, let last = rises.last, first < last,
            greatest(in: times) > 2 * clear
        else { return nil }
        return 1e6 * Double(rises.count - 1) / (last - first)
    }

    /// The deviation above which a sample belongs to a vibration, as a multiple of ``noise``.
    private static let clearness = 3.0

    /// Returns the greatest deviation from rest in a range of times, in g.
    public func greatest(in times: ClosedRange<Double>) -> Double {
        samples[indices(in: times)].lazy.map { abs($0.acceleration) }.max() ?? 0
    }
}

/// The gain and the zero of an axis of an accelerometer, as found by means of gravity.
public struct Sensitivity: Hashable, Sendable {
    /// The reading in g for an acceleration of 1 g, without the zero.
    public var gain: Double
    /// The reading in g without an acceleration.
    public var zero: Double

    /// Creates the sensitivity of an accelerometer; by default, that of an exact accelerometer.
    public init(gain: Double = 1, zero: Double = 0) { (self.gain, self.zero) = (gain, zero) }

    /// The maximum deviations of a working chip, with a margin for an axis that is not exactly
    /// vertical.
    private static let tolerance = (gain: 0.15, zero: 0.25)

    /// Creates the sensitivity of an axis from its readings while the axis pointed up and down.
    /// Returns nil if the readings cannot be those of an axis that was vertical.
    public init?(up: Double, down: Double) {
        self.init(gain: (up - down) / 2, zero: (up + down) / 2)
        guard abs(gain - 1) <= Self.tolerance.gain, abs(zero) <= Self.tolerance.zero else {
            return nil
        }
    }
}
