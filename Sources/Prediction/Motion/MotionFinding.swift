// MotionFinding: errors in the mounting and in the recording that falsify a measurement.

import BridgeLink

/// An error in the mounting or in the recording that falsifies a measurement.
public enum MotionFinding: Hashable, Sendable {
    /// Some samples are at the limit of the accelerometer.
    case clipped(samples: Int, range: Double)
    /// The accelerometer senses no vibration, although the actuator is driven.
    case still(predicted: Double)
    /// The frequency of the vibration differs from that of the drive; both are in hertz.
    case otherFrequency(measured: Double, driven: Double)
    /// A part of the vibration is not at the frequency of the drive. The value is the fraction of
    /// this part.
    case distorted(fraction: Double)
    /// The vibration continues after the time at which the actuator should be at rest, for the
    /// given number of milliseconds.
    case ringsOn(milliseconds: Double)
    /// The board is moved or vibrates before the stream starts. The value is the standard deviation
    /// in g.
    case restless(noise: Double)
    /// The acceleration at rest, in g, is greater than gravity.
    case gravity(rest: Double)
    /// Samples were lost.
    case lost(samples: Int, gaps: Int)

    /// The lowest threshold, in g, below which an accelerometer is considered still. Strong noise
    /// raises the threshold.
    private static let stillMax = 0.03
    /// The minimum predicted amplitude, in g, for which a motion must be sensed.
    private static let drivenMin = 0.15
    /// The maximum deviation of the frequency, as a fraction.
    private static let frequencyTolerance = 0.15
    /// The maximum distortion. Fast changes in the amplitude, and noise, also distort a sine.
    private static let distortionMax = 0.4
    /// The fraction of the peak above which a vibration rings on, and the minimum time of ringing,
    /// in microseconds.
    private static let ringing = (level: 0.15, time: 60_000.0)
    /// The standard deviation in g above which the board is not at rest. It is above the noise of
    /// the supported accelerometers, including the resolution of their values.
    private static let restMax = 0.05
    /// The maximum acceleration at rest in g, including the error of an accelerometer.
    private static let gravityMax = 1.25

    /// Returns the findings in a measurement.
    ///
    /// - Parameters:
    ///   - predicted: the predicted envelope of the same stream.
    ///   - driven: the frequency of the drive in hertz; nil if it is unknown.
    public static func all(
        in signal: MotionSignal, _ measured: MotionEnvelope, predicted: MotionEnvelope,
        driven: Double?, recorded: RecordedAcceleration
    ) -> [MotionFinding] {
        var findings: [MotionFinding] = []
        if signal.clipped > 0 {
            findings.append(.clipped(samples: signal.clipped, range: recorded.properties.range))
        }
        if recorded.lost > 0 || recorded.gaps > 0 {
            findings.append(.lost(samples: recorded.lost, gaps: recorded.gaps))
        }
        if abs(signal.rest) > gravityMax { findings.append(.gravity(rest: signal.rest)) }
        if signal.noise > restMax { findings.append(.restless(noise: signal.noise)) }
        let whole = 0..<max(measured.end, predicted.end)
        let (felt, expected) = (measured.peak(in: whole)?.value, predicted.peak(in: whole)?.value)
        guard let felt, let expected, expected >= drivenMin else { return findings }
        guard felt > max(stillMax, 4 * signal.noise) else {
            return findings + [.still(predicted: expected)]
        }
        if let driven, let frequency = measured.frequency,
            abs(frequency / driven - 1) > frequencyTolerance
        {
            findings.append(.otherFrequency(measured: frequency, driven: driven))
        }
        if let distortion = measured.distortion, distortion > distortionMax {
            findings.append(.distorted(fraction: distortion))
        }
        if let time = ringTime(measured, felt, predicted, expected) {
            findings.append(.ringsOn(milliseconds: time / 1_000))
        }
        return findings
    }

    /// Returns the time for which the measured vibration continues after the predicted one has
    /// ended; nil if this time is short.
    private static func ringTime(
        _ measured: MotionEnvelope, _ felt: Double, _ predicted: MotionEnvelope, _ expected: Double
    ) -> Double? {
        func end(_ envelope: MotionEnvelope, _ peak: Double) -> Double {
            let last = envelope.values.lastIndex { $0 > ringing.level * peak } ?? 0
            return Double(last) * envelope.step
        }
        let time = end(measured, felt) - end(predicted, expected)
        return time > ringing.time ? time : nil
    }
}
