// VibrationModel: the vibration that the model of an actuator predicts, and its difference from a
// measurement.

import CDRV2605Model
import CMath
import VirtualBoard

/// The vibration of a modeled actuator during the drive of a record.
///
/// The model (`Firmware/model/actuator_model.h`) predicts the envelope and the frequency of the
/// vibration. The phase at which a driver starts is unknown. Therefore, each window of the record
/// has its own phase, which is chosen so that the difference is as small as possible.
struct VibrationModel {
    /// The interval between two values of the prediction, in microseconds.
    private static let step = 500

    /// The amplitude in g, the frequency in hertz and the phase in turns, at each step from the start
    /// of the stream.
    private var amplitudes: [Double] = []
    private var frequencies: [Double] = []
    private var turns: [Double] = []
    private let record: VibrationRecord

    /// Predicts the vibration of an actuator at rest during the drive of a record.
    init(_ actuator: actuator_model, during record: VibrationRecord) {
        self.record = record
        var model = actuator
        let count = Int((record.samples.last?.time ?? 0) / Double(Self.step)) + 2
        for array in [\Self.amplitudes, \Self.frequencies, \Self.turns] {
            self[keyPath: array].reserveCapacity(count)
        }
        var rest = record.drive[...]
        var (drive, turn, last) = (0, 0.0, 0.0)
        for index in 0..<max(count, 2) {
            let time = UInt64(index * Self.step)
            while let change = rest.first, change.time <= time {
                actuator_model_advance(&model, UInt64(max(0, change.time)), Int16(drive))
                drive = change.drive
                rest.removeFirst()
            }
            actuator_model_advance(&model, time, Int16(drive))
            let frequency = actuator_model_frequency_hz(&model)
            if index > 0 { turn += (frequency + last) / 2 * Double(Self.step) * 1e-6 }
            last = frequency
            amplitudes.append(actuator_model_acceleration_g(&model))
            frequencies.append(frequency)
            turns.append(turn)
        }
    }

    /// Returns the predicted amplitude as the sensor measures it, in g, and the phase in turns, both
    /// at a time of the actuator.
    private func value(at time: Double) -> (amplitude: Double, turns: Double) {
        guard time > 0 else { return (0, 0) }
        let position = time / Double(Self.step)
        let index = min(Int(position), amplitudes.count - 2)
        let part = min(position - Double(index), 1)
        func interpolated(_ values: [Double]) -> Double {
            values[index] + (values[index + 1] - values[index]) * part
        }
        let gain = record.sensor.gain(at: interpolated(frequencies))
        return (interpolated(amplitudes) * gain, interpolated(turns))
    }

    /// Returns the measured values minus the predicted values, in g.
    ///
    /// - Parameter delay: the delay of the measurement relative to the drive, in microseconds.
    func residuals(delay: Double) -> [Double] {
        let samples = record.samples
        let waves = samples.map { sample in
            let value = value(at: sample.time - delay)
            let wave = Wave(turns: value.turns)
            return (value.amplitude * wave.cosine, value.amplitude * wave.sine)
        }
        var sums = [WindowSums](repeating: WindowSums(), count: (record.windows.last ?? 0) + 1)
        for (index, window) in record.windows.enumerated() {
            sums[window].add(waves[index].0, waves[index].1, samples[index].acceleration)
        }
        let phases = sums.map(\.phase)
        return samples.indices.map { index in
            let (phase, wave) = (phases[record.windows[index]], waves[index])
            return samples[index].acceleration - (wave.0 * phase.cosine - wave.1 * phase.sine)
        }
    }

    /// Returns how improbable the measurement is: -2 times the logarithm of its probability, without
    /// a constant. All phases of each window are considered equally probable, so that a weak
    /// predicted vibration cannot explain noise by a choice of the phase.
    func improbability(delay: Double) -> Double {
        let variance = record.noise * record.noise
        return sums(in: -.infinity...(.infinity), delay: delay).reduce(0) { total, sum in
            let fit = sum.fit(sum.phase)
            return total + (fit.square / variance - 2 * logBessel(abs(fit.product) / variance))
        }
    }

    /// Returns the ratio of the measured amplitude to the predicted amplitude between two times of the
    /// stream; nil if no vibration is predicted.
    func ratio(in range: ClosedRange<Double>, delay: Double) -> Double? {
        var (products, squares) = (0.0, 0.0)
        for sum in sums(in: range, delay: delay) {
            let fit = sum.fit(sum.phase)
            products += fit.product
            squares += fit.square
        }
        return squares > 0 ? products / squares : nil
    }

    /// Returns, for each window, the sums over the samples between two times of the stream.
    private func sums(in range: ClosedRange<Double>, delay: Double) -> [WindowSums] {
        var sums = [WindowSums](repeating: WindowSums(), count: (record.windows.last ?? 0) + 1)
        let samples = record.samples
        for index in record.signal.indices(in: range) {
            let value = value(at: samples[index].time - delay)
            let wave = Wave(turns: value.turns)
            sums[record.windows[index]].add(
                value.amplitude * wave.cosine, value.amplitude * wave.sine,
                samples[index].acceleration)
        }
        return sums
    }
}

/// Returns the logarithm of the modified Bessel function of the first kind and of order 0, for a value
/// of at least 0 (Abramowitz and Stegun 9.8.1 and 9.8.2).
func logBessel(_ value: Double) -> Double {
    func polynomial(_ coefficients: [Double], _ x: Double) -> Double {
        coefficients.reversed().reduce(0) { $0 * x + $1 }
    }
    guard value > 3.75 else {
        let square = (value / 3.75) * (value / 3.75)
        return math_log(
            polynomial(
                [1, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813], square))
    }
    let inverse = polynomial(
        [
            0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537,
            -0.01647633, 0.00392377,
        ], 3.75 / value)
    return value - math_log(value) / 2 + math_log(inverse)
}

/// The sums over a window from which its phase is determined. The cosine wave and the sine wave have
/// the predicted amplitude.
private struct WindowSums {
    var (cosineValue, sineValue) = (0.0, 0.0)
    var (cosineCosine, sineSine, cosineSine) = (0.0, 0.0, 0.0)

    mutating func add(_ cosine: Double, _ sine: Double, _ value: Double) {
        cosineValue += cosine * value
        sineValue += sine * value
        cosineCosine += cosine * cosine
        sineSine += sine * sine
        cosineSine += cosine * sine
    }

    /// The phase of the predicted wave for which the sum of squared differences is least,
    /// determined by Newton's method.
    var phase: Wave {
        var phase = Wave(direction: cosineValue, -sineValue)
        for _ in 0..<3 {
            let (c, s) = (phase.cosine, phase.sine)
            let difference = sineSine - cosineCosine
            let slope =
                2 * (s * cosineValue + c * sineValue) + 2 * c * s * difference
                - 2 * (c * c - s * s) * cosineSine
            let curvature =
                2 * (c * cosineValue - s * sineValue) + 2 * (c * c - s * s) * difference
                + 8 * c * s * cosineSine
            guard curvature > 1e-12 else { break }
            phase = phase.turned(by: -min(max(slope / curvature, -0.5), 0.5))
        }
        return phase
    }

    /// Returns the product of the measured values and the predicted wave with a phase, and the square
    /// of this wave.
    func fit(_ phase: Wave) -> (product: Double, square: Double) {
        let (c, s) = (phase.cosine, phase.sine)
        return (
            c * cosineValue - s * sineValue,
            c * c * cosineCosine - 2 * c * s * cosineSine + s * s * sineSine
        )
    }
}
