// FrequencyBand: the frequencies that an actuator can render, and how strongly it renders each of
// them.

import CMath
import HapticPatterns

/// The band and the frequency response of an actuator whose frequency follows the sharpness.
public struct FrequencyBand: Hashable, Sendable, Codable {
    /// A point of a frequency response.
    public struct ResponsePoint: Hashable, Sendable, Codable {
        /// The frequency in hertz.
        public var frequency: Double
        /// The acceleration at this frequency for a given amplitude of the drive, in any unit;
        /// above 0.
        public var gain: Double

        /// Creates a point.
        public init(frequency: Double, gain: Double) {
            (self.frequency, self.gain) = (frequency, gain)
        }
    }

    /// The law that determines the frequency of a sharpness. Core Haptics does not define such a
    /// law.
    public enum Law: String, Hashable, Sendable, Codable, CaseIterable {
        /// Equal steps in sharpness correspond to equal frequency ratios. This is the default.
        case logarithmic
        /// Equal steps in sharpness correspond to equal frequency differences.
        case linear
        /// Sharpness 0 is 65 Hz and sharpness 1 is 300 Hz, limited to the band, so that frequencies of
        /// formats that state hertz are preserved.
        case absolute
    }

    /// The frequencies of sharpness 0 and sharpness 1, in hertz.
    public var range: ClosedRange<Double>
    /// The points of the frequency response in ascending order of frequency. Between two points,
    /// the gain is interpolated on logarithmic scales. Outside the points, the gain is that of the
    /// nearest point. Without points, all frequencies have the same gain.
    public var response: [ResponsePoint]
    /// The law that determines the frequency of a sharpness.
    public var law: Law
    /// The time in each period in which the driver does not drive, in seconds. This time reduces
    /// the rms voltage at high frequencies.
    public var idle: Double

    /// Creates a band.
    public init(
        _ range: ClosedRange<Double>, response: [ResponsePoint] = [], law: Law = .logarithmic,
        idle: Double = 0
    ) {
        (self.range, self.response, self.law, self.idle) = (range, response, law, idle)
    }

    /// Returns the frequency of a sharpness, in hertz.
    public func frequency(ofSharpness sharpness: Double) -> Double {
        let sharpness = min(max(sharpness, 0), 1)
        let (low, high) = (range.lowerBound, range.upperBound)
        return switch law {
        case .logarithmic: low * math_pow(high / low, sharpness)
        case .linear: low + (high - low) * sharpness
        case .absolute: min(max(SharpnessFrequency.hertz(ofSharpness: sharpness), low), high)
        }
    }

    /// Returns the sharpness of a frequency in hertz, 0...1.
    func sharpness(ofFrequency frequency: Double) -> Double {
        let (low, high) = (range.lowerBound, range.upperBound)
        guard low < high else { return 0 }
        let sharpness =
            switch law {
            case .logarithmic: math_log(frequency / low) / math_log(high / low)
            case .linear: (frequency - low) / (high - low)
            case .absolute: SharpnessFrequency.sharpness(ofHertz: frequency)
            }
        return min(max(sharpness, 0), 1)
    }

    /// Returns the sharpness in the stream, 0...1, that represents a sharpness of the pattern. The
    /// device interpolates linearly between the periods at the ends of the band (SPEC 8.9).
    package func streamSharpness(of sharpness: Double) -> Double {
        let (low, high) = (range.lowerBound, range.upperBound)
        let width = 1 / low - 1 / high
        // The two periods can be equal even if the frequencies are not.
        guard width > 0 else { return 0 }
        return min(max((1 / low - 1 / frequency(ofSharpness: sharpness)) / width, 0), 1)
    }

    /// Returns the frequency of a sharpness in the stream, 0...1, in hertz.
    package func frequency(ofStreamSharpness sharpness: Double) -> Double {
        let (low, high) = (range.lowerBound, range.upperBound)
        return 1 / (1 / low - (1 / low - 1 / high) * sharpness)
    }

    /// Returns the factor that makes an intensity equally strong at a frequency. The factor is 1 at
    /// the frequency in `reference` with the lowest gain, and at most 1 elsewhere in `reference`.
    ///
    /// - Parameter reference: frequencies at which the actuator reaches intensity 1.
    public func equalization(at frequency: Double, reference: ClosedRange<Double>) -> Double {
        let frequency = min(max(frequency, range.lowerBound), range.upperBound)
        return leastGain(in: reference) / gain(at: frequency)
    }

    /// The lowest gain in a range of frequencies. The gain of the driver decreases with the
    /// frequency, so the lower of two neighboring points approximates the minimum between them.
    func leastGain(in range: ClosedRange<Double>) -> Double {
        let inside = response.filter { range.contains($0.frequency) }.map { $0.frequency }
        return (inside + [range.lowerBound, range.upperBound]).map { gain(at: $0) }.min()!
    }

    /// Returns the acceleration at a frequency for full drive.
    package func gain(at frequency: Double) -> Double {
        responseGain(at: frequency) * (1 - idle * frequency).squareRoot()
    }

    private func responseGain(at frequency: Double) -> Double {
        guard let next = response.firstIndex(where: { $0.frequency >= frequency }) else {
            return response.last?.gain ?? 1
        }
        guard next > 0 else { return response[0].gain }
        let (low, high) = (response[next - 1], response[next])
        let position =
            math_log(frequency / low.frequency) / math_log(high.frequency / low.frequency)
        return low.gain * math_pow(high.gain / low.gain, position)
    }
}
