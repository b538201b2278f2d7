// TapSelection: converts onsets to taps that an actuator can separate.

import CMath
import HapticCompiler
import HapticPatterns
import PatternFormats

extension SoundFeatures {
    /// The frequencies that correspond to sharpness 0 and 1, in hertz. Between these frequencies,
    /// the sharpness is a linear function of the logarithm of the frequency.
    private static let tones = 80.0...1_000.0
    /// The time after an onset in which an impact reaches its maximum, in seconds.
    private static let rise = 0.03
    /// The time after an onset during which the frequencies of the sound determine the sharpness of
    /// a tap, in seconds.
    private static let colour = 0.02

    /// Returns the sharpness for the logarithm of a frequency.
    static func sharpness(ofPitch pitch: Double) -> Double {
        let (low, high) = (math_log(tones.lowerBound), math_log(tones.upperBound))
        return min(max((pitch - low) / (high - low), 0), 1)
    }

    /// Returns the taps according to the rules of a style, in order of time.
    func taps(_ rules: StyleRules, density: Double, gain: Double) -> [HapticSignal.Tap] {
        guard density > 0 else { return [] }
        // The density changes the threshold by a factor of up to 3 in both directions.
        let threshold = rules.threshold * Float(math_pow(9, 0.5 - density))
        let apart = Microseconds((rules.apart * 1e6).rounded(.up))
        var taps: [HapticSignal.Tap] = []
        for onset in onsets(above: threshold) {
            let tap = tap(at: onset.frame, gain: gain)
            guard tap.intensity * 255 >= Fidelity.leastFelt else { continue }
            guard let last = taps.last, tap.time - last.time < apart else {
                taps.append(tap)
                continue
            }
            // If two taps cannot be separated, only the stronger tap is used.
            if tap.intensity > last.intensity { taps[taps.count - 1] = tap }
        }
        return taps
    }

    private func tap(at frame: Int, gain: Double) -> HapticSignal.Tap {
        let rising = frame..<min(frame + grid.frames(Self.rise), strength.count)
        let peak = rising.lazy.map { Double(strength[$0]) }.max() ?? 0
        let before = Double(strength[max(frame - grid.frames(Self.colour), 0)])
        let added = max(peak * peak - before * before, 0).squareRoot()
        var (energy, weighted) = (0.0, 0.0)
        for index in frame..<min(frame + grid.frames(Self.colour), strength.count) {
            let square = Double(strength[index]) * Double(strength[index])
            energy += square
            weighted += square * Double(pitch[index])
        }
        let tone = energy > 0 ? weighted / energy : 0
        return HapticSignal.Tap(
            time: Microseconds((Double(frame) * grid.seconds * 1e6).rounded()),
            intensity: Self.rounded(min(gain * IntensityLaw.sqrt.intensity(ofAmplitude: added), 1)),
            sharpness: Self.rounded(Self.sharpness(ofPitch: tone)))
    }

    /// Returns a value of a tap rounded to three decimals.
    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}
