// MotionEnvelope: the amplitude of a vibration over time.

import BridgeLink
import CMath

/// The amplitude of a vibration in g, at equidistant times that begin at the start of a stream.
public struct MotionEnvelope: Sendable {
    /// The amplitudes.
    public private(set) var values: [Double]
    /// The time between two amplitudes, in microseconds.
    public let step: Double
    /// The mean frequency of the vibration in hertz; nil if it was not determined.
    public let frequency: Double?
    /// The part of the vibration that is not a sine of the drive frequency, as a fraction of the
    /// vibration (root mean squares); nil if it was not determined.
    public let distortion: Double?

    /// The window in which the samples of a measured envelope were evaluated; nil for an envelope
    /// that was not measured.
    private let window: Window?

    /// A window around a time. The closer a sample is to this time, the more weight the sample has.
    private struct Window {
        /// The length of the window, in microseconds.
        let length: Double
        /// True if the squares of the samples are averaged.
        let isOfSquares: Bool

        /// Returns the weight of a sample that is `distance` microseconds from the time.
        func weight(_ distance: Double) -> Double {
            let cosine = math_cos(.pi * distance / length)
            return cosine * cosine
        }

        /// Returns the times that are in the window around a time.
        func times(around time: Double) -> ClosedRange<Double> {
            (time - length / 2)...(time + length / 2)
        }
    }

    /// The time between two amplitudes of a measured envelope, in microseconds.
    public static let measuredStep = 250.0

    /// Creates an envelope from known amplitudes, for example predicted amplitudes.
    public init(_ values: [Double], step: Double) {
        (self.values, self.step) = (values, step)
        (frequency, distortion, window) = (nil, nil, nil)
    }

    /// Measures the amplitude of the vibration of a resonant actuator. For each time, a sine and a
    /// cosine of the frequency are fitted to the samples in a window of one period, or of 5
    /// sampling periods if these take longer.
    ///
    /// - Parameters:
    ///   - frequency: the frequency of the drive in hertz, to within a tenth.
    ///   - sensor: the properties of the accelerometer, whose attenuation at the frequency of the
    ///     drive is corrected.
    public init(of signal: MotionSignal, frequency: Double, sensor: SensorProperties) {
        let window = Window(
            length: max(1e6 / frequency, Self.samplesMin * signal.period), isOfSquares: false)
        let phasors = Self.times(of: signal).map {
            Self.phasor(of: signal, at: $0, window, frequency: frequency)
        }
        let gain = sensor.gain(at: frequency)
        values = phasors.map { $0.amplitude / gain }
        step = Self.measuredStep
        (self.frequency, distortion) = Self.character(of: phasors, near: frequency)
        self.window = window
    }

    /// Measures the amplitude of a vibration whose frequency changes, such as that of a motor or of
    /// an actuator with a band. The amplitude is the root mean square of the samples in a window,
    /// times the square root of 2.
    public init(ofMotor signal: MotionSignal) {
        let window = Window(length: Self.motorWindow, isOfSquares: true)
        values = Self.times(of: signal).map { time in
            let samples = signal.samples[signal.indices(in: window.times(around: time))]
            let mean = Self.mean(samples.lazy.map { ($0.time - time, $0.acceleration) }, window)
            return 2.0.squareRoot() * mean
        }
        (step, self.window) = (Self.measuredStep, window)
        (frequency, distortion) = (nil, nil)
    }

    /// Measures the amplitude of the vibration of an actuator with a band, as that of a motor.
    ///
    /// - Parameters:
    ///   - frequencies: the changes of the frequency of the drive in hertz, in order of time, with
    ///     times in microseconds.
    ///   - sensor: the properties of the accelerometer, whose attenuation at the frequency of the
    ///     drive is corrected.
    public init(
        ofBand signal: MotionSignal, frequencies: [(time: Double, frequency: Double)],
        sensor: SensorProperties
    ) {
        var envelope = MotionEnvelope(ofMotor: signal)
        var (rest, frequency) = (frequencies[...], frequencies.first?.frequency ?? 0)
        envelope.values = envelope.values.indices.map { index in
            while let change = rest.first, change.time <= Double(index) * Self.measuredStep {
                frequency = change.frequency
                rest.removeFirst()
            }
            return envelope.values[index] / sensor.gain(at: frequency)
        }
        self = envelope
    }

    /// Returns the envelope that a measurement of this vibration would have, with the window of
    /// another, measured envelope.
    public func measured(as other: MotionEnvelope) -> MotionEnvelope {
        guard let window = other.window else { return self }
        let step = Self.measuredStep
        let reach = (window.length / 2 / step).rounded(.down)
        let blurred = stride(from: 0, through: end, by: step).map { time in
            Self.mean(
                stride(from: -reach, through: reach, by: 1).lazy.map {
                    ($0 * step, value(at: time + $0 * step))
                }, window)
        }
        return MotionEnvelope(blurred, step: step)
    }

    /// The minimum length of the window for a resonant actuator, in samples.
    private static let samplesMin = 5.0
    /// The length of the window for a motor in microseconds. In this time, a motor at 50 Hz turns
    /// once.
    private static let motorWindow = 20_000.0

    private static func times(of signal: MotionSignal) -> StrideTo<Double> {
        stride(from: 0, to: signal.samples.last?.time ?? 0, by: measuredStep)
    }

    /// Returns the weighted mean, or root mean square, of values at distances from a time.
    private static func mean(
        _ values: some Sequence<(distance: Double, value: Double)>, _ window: Window
    ) -> Double {
        var (weights, sum) = (0.0, 0.0)
        for (distance, value) in values {
            let weight = window.weight(distance)
            weights += weight
            sum += weight * (window.isOfSquares ? value * value : value)
        }
        guard weights > 0 else { return 0 }
        return window.isOfSquares ? (sum / weights).squareRoot() : sum / weights
    }

    // MARK: Fitting

    /// A vibration at one time: cosine times cos(wt) plus sine times sin(wt).
    private struct Phasor {
        var cosine = 0.0
        var sine = 0.0
        /// The mean square of the deviations of the samples.
        var error = 0.0

        var amplitude: Double { (cosine * cosine + sine * sine).squareRoot() }
    }

    private static func phasor(
        of signal: MotionSignal, at time: Double, _ window: Window, frequency: Double
    ) -> Phasor {
        var (cc, cs, ss, c, s, squares) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for sample in signal.samples[signal.indices(in: window.times(around: time))] {
            let angle = 2 * .pi * frequency * (sample.time - time) / 1e6
            let weight = window.weight(sample.time - time)
            let (cosine, sine) = (math_cos(angle), math_sin(angle))
            cc += weight * cosine * cosine
            cs += weight * cosine * sine
            ss += weight * sine * sine
            c += weight * cosine * sample.acceleration
            s += weight * sine * sample.acceleration
            squares += weight * sample.acceleration * sample.acceleration
        }
        let determinant = cc * ss - cs * cs
        guard determinant > 1e-9 else { return Phasor() }
        let cosine = (c * ss - s * cs) / determinant
        let sine = (s * cc - c * cs) / determinant
        return Phasor(
            cosine: cosine, sine: sine, error: (squares - cosine * c - sine * s) / (cc + ss))
    }

    /// Returns the mean frequency, computed from the change in phase between consecutive times, and
    /// the distortion. Strong vibrations have more weight. Both are nil if nothing vibrates.
    private static func character(
        of phasors: [Phasor], near frequency: Double
    ) -> (frequency: Double?, distortion: Double?) {
        let turn = 2 * .pi * frequency * measuredStep / 1e6
        let strong = 0.5 * (phasors.lazy.map(\.amplitude).max() ?? 0)
        var (real, imaginary, error, squares) = (0.0, 0.0, 0.0, 0.0)
        for (one, next) in zip(phasors, phasors.dropFirst())
        where one.amplitude > strong && next.amplitude > strong {
            // The phase of the vibration is -atan(sine / cosine).
            real += one.cosine * next.cosine + one.sine * next.sine
            imaginary += one.sine * next.cosine - one.cosine * next.sine
            error += max(0, one.error)
            squares += max(0, one.error) + one.amplitude * one.amplitude / 2
        }
        guard squares > 0 else { return (nil, nil) }
        let phase = math_atan2(imaginary, real)
        return (frequency * phase / turn, (error / squares).squareRoot())
    }
}

extension MotionEnvelope {
    /// The time of the last amplitude, in microseconds.
    public var end: Double { Double(max(0, values.count - 1)) * step }

    /// Returns the amplitude at a time, by linear interpolation. Outside the envelope, returns the
    /// first or the last amplitude.
    public func value(at time: Double) -> Double {
        guard let last = values.last else { return 0 }
        let position = max(0, time / step)
        let index = Int(position)
        guard index + 1 < values.count else { return last }
        return values[index] + (values[index + 1] - values[index]) * (position - Double(index))
    }

    private func indices(in times: Range<Double>) -> Range<Int> {
        let first = min(values.count, Int((max(0, times.lowerBound) / step).rounded(.up)))
        let end = min(values.count, Int((max(0, times.upperBound) / step).rounded(.up)))
        return first..<max(first, end)
    }

    /// Returns the greatest amplitude in a range of times, and its time; nil for an empty range.
    public func peak(in times: Range<Double>) -> (value: Double, time: Double)? {
        let range = indices(in: times)
        guard let index = range.max(by: { values[$0] < values[$1] }) else { return nil }
        return (values[index], Double(index) * step)
    }

    /// Returns the mean amplitude in a range of times; 0 for an empty range.
    public func mean(in times: Range<Double>) -> Double {
        let range = indices(in: times)
        return range.isEmpty ? 0 : values[range].reduce(0, +) / Double(range.count)
    }

    /// Returns the last time at or before `end` at which the amplitude rises to a level; nil if the
    /// amplitude has been above the level since `start`.
    public func rise(to level: Double, from start: Double, before end: Double) -> Double? {
        let range = indices(in: start..<(end + step / 2))
        guard
            let index = range.dropLast().last(where: {
                values[$0] < level && values[$0 + 1] >= level
            })
        else { return nil }
        return crossing(level, after: index)
    }

    /// Returns the first time at or after `start` at which the amplitude falls to a level; nil if
    /// the amplitude does not fall to this level before `end`.
    public func fall(to level: Double, from start: Double, before end: Double) -> Double? {
        let range = indices(in: start..<end)
        guard
            let index = range.dropLast().first(where: {
                values[$0] >= level && values[$0 + 1] < level
            })
        else { return nil }
        return crossing(level, after: index)
    }

    private func crossing(_ level: Double, after index: Int) -> Double {
        let (low, high) = (values[index], values[index + 1])
        return (Double(index) + (level - low) / (high - low)) * step
    }

    /// Returns the onset of a vibration: the time at which the amplitude rises to half of its peak.
    /// Returns nil if the amplitude is above half of the peak from the start of the window until
    /// the peak, or if the peak is less than `least`.
    public func onset(in window: Range<Double>, least: Double) -> Double? {
        guard let peak = peak(in: window), peak.value >= least else { return nil }
        return rise(to: peak.value / 2, from: window.lowerBound, before: peak.time)
    }

    /// The length of the interval before the end of a hold from which the amplitude of the hold is
    /// computed, in microseconds.
    private static let holdTime = 120_000.0
    /// The fraction of the amplitude of a hold below which an actuator is at rest.
    private static let restLevel = 0.1
    /// The minimum amplitude in g of a hold that is sensed.
    private static let holdMin = 0.03

    /// Returns the time at which an actuator that was driven at a constant level until `end` has
    /// come to rest. Returns nil if no vibration was sensed before `end`.
    ///
    /// - Parameter noise: the standard deviation of the samples at rest, in g.
    public func rest(after end: Double, noise: Double) -> Double? {
        let hold = mean(in: (end - Self.holdTime)..<end)
        guard hold > max(Self.holdMin, 4 * noise) else { return nil }
        let level = max(Self.restLevel * hold, 3 * noise)
        return values.lastIndex { $0 > level }.map { Double($0 + 1) * step }
    }
}
