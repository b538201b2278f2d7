// LevelShape: converts the non-percussive part of a sound to a level and a sharpness, each
// represented by a small number of straight lines.

import CMath
import HapticCompiler
import HapticPatterns
import PatternFormats

extension SoundFeatures {
    /// The quantile of the amplitudes that counts as the noise floor, for example of a hum.
    private static let floorQuantile = 0.1
    /// The factor by which the noise floor is multiplied, so that fluctuations of the noise are
    /// also removed.
    private static let floorFactor = 1.5
    /// The maximum deviation between the lines and the level, in just-noticeable differences.
    private static let tolerance = 0.5
    /// The time constant of the smoothing of the sharpness, in seconds.
    private static let colour = 0.04

    /// Returns the level and the sharpness according to the rules of a style, each as a small
    /// number of straight lines.
    func level(
        _ rules: StyleRules, gain: Double
    ) -> (intensity: [Breakpoint], sharpness: [Breakpoint]) {
        let levels = levels(rules, gain: gain)
        guard levels.contains(where: { $0 > 0 }) else { return ([], []) }
        return (
            FittedCurve.points(breakpoints(levels), from: 0) {
                Self.tolerance * Fidelity.levelWeber * max($0, Fidelity.leastFelt / 255)
            },
            FittedCurve.points(breakpoints(tones(levels)), from: nil) {
                let range = SharpnessFrequency.range
                return Self.tolerance * Fidelity.frequencyWeber
                    * SharpnessFrequency.hertz(ofSharpness: $0)
                    / (range.upperBound - range.lowerBound)
            }
        )
    }

    private func breakpoints(_ values: [Double]) -> [Breakpoint] {
        values.enumerated().map { frame, value in
            Breakpoint(
                time: Microseconds((Double(frame) * grid.seconds * 1e6).rounded()), value: value)
        }
    }

    /// Returns the intensity of each frame. An intensity that could not be felt is replaced with 0,
    /// and the intensity of the last frame is 0.
    private func levels(_ rules: StyleRules, gain: Double) -> [Double] {
        var amplitudes = zip(rest, bass).map { all, bass in
            Double(all) * (1 - rules.bass) + Double(bass) * rules.bass
        }
        if rules.isFloorRemoved {
            let floor = amplitudes.sorted()[Int(Double(amplitudes.count) * Self.floorQuantile)]
            for index in amplitudes.indices {
                amplitudes[index] = max(amplitudes[index] - Self.floorFactor * floor, 0)
            }
        }
        let rising = 1 - math_exp(-grid.seconds / rules.attack)
        let falling = 1 - math_exp(-grid.seconds / rules.release)
        var follower = 0.0
        var levels = amplitudes.map { amplitude in
            follower += (amplitude - follower) * (amplitude > follower ? rising : falling)
            let intensity = gain * rules.level * IntensityLaw.sqrt.intensity(ofAmplitude: follower)
            return intensity * 255 >= Fidelity.leastFelt ? min(intensity, 1) : 0
        }
        levels[levels.count - 1] = 0
        return levels
    }

    /// Returns the sharpness of each frame. The sharpness does not change during silence.
    private func tones(_ levels: [Double]) -> [Double] {
        let smoothing = 1 - math_exp(-grid.seconds / Self.colour)
        var tone: Double?
        var wasSilent = true
        return levels.indices.map { frame in
            guard levels[frame] > 0, strength[frame] > 0 else {
                wasSilent = true
                return tone ?? 0
            }
            let new = Self.sharpness(ofPitch: Double(pitch[frame]))
            let known = wasSilent ? new : tone ?? new
            wasSilent = false
            tone = known + (new - known) * smoothing
            return tone ?? new
        }
    }
}
