// ReferenceEmphasis: the emphasis points that the analyzer of Meta Haptics Studio finds, calculated
// with its published constants (facebook/meta-haptics-sdk, audio_analysis).

import Foundation

/// Finds the emphasis points of a sound.
public enum ReferenceEmphasis {
    private static let release = 0.1
    private static let hold = 0.0015
    private static let attack = 0.000_1
    private static let windowLength = 0.000_1
    private static let leastRise = 0.05
    private static let plateau = 0.25
    private static let apart = 0.02
    /// The sensitivities that tests compare, beginning with the analyzer's default.
    public static let sensitivities = [0.5, 0.7, 0.8, 0.9, 0.95, 1]

    /// Returns the times of the points, in seconds, for each of the ``sensitivities``.
    public static func onsets(of sound: SyntheticSound) -> [[Double]] {
        let peaks = peaks(of: envelope(of: sound))
        let flux = peaks.map { self.flux(of: sound, at: $0) }
        let (least, greatest) = (flux.min() ?? 0, flux.max() ?? 0)
        return sensitivities.map { sensitivity in
            // The threshold is between the greatest and the smallest sharpness of the clip. The
            // sensitivity is the fraction of the distance from the greatest sharpness.
            let limit = greatest + (least - greatest) * sensitivity
            return zip(peaks, flux).filter { $0.1 >= limit }.map { Double($0.0) / 1_000 }
        }
    }

    /// Returns the smoothed root mean square of the sound at each millisecond, at most 1.
    private static func envelope(of sound: SyntheticSound) -> [Double] {
        let rate = Double(sound.sampleRate)
        let mean = sound.samples.reduce(0) { $0 + Double($1) } / Double(sound.samples.count)
        let span = max(1, Int(windowLength * rate))
        var (sum, level, held) = (0.0, 0.0, 0)
        var window = [Double](repeating: 0, count: span)
        var result: [Double] = []
        for (index, sample) in sound.samples.enumerated() {
            let square = (Double(sample) - mean) * (Double(sample) - mean)
            sum += square - window[index % span]
            window[index % span] = square
            let value = (max(sum, 0) / Double(span)).squareRoot()
            if value > level {
                level += (value - level) * (1 - exp(-1 / (attack * rate)))
                held = Int(hold * rate)
            } else if held > 0 {
                held -= 1
            } else {
                level += (value - level) * (1 - exp(-1 / (release * rate)))
            }
            if index % (sound.sampleRate / 1_000) == 0 { result.append(level) }
        }
        let peak = max(result.max() ?? 0, 1e-9)
        return result.map { $0 / peak }
    }

    /// Returns the times, in milliseconds, at which a rise ends in a peak or a plateau. The times
    /// are at least 20 ms apart.
    private static func peaks(of envelope: [Double]) -> [Int] {
        var peaks: [Int] = []
        var (low, index) = (0, 1)
        while index + 1 < envelope.count {
            if envelope[index] <= envelope[low] { low = index }
            let rise = envelope[index] - envelope[low]
            let next = envelope[index + 1] - envelope[index]
            let step = rise / Double(max(index - low, 1))
            if rise > leastRise, next < plateau * step {
                if peaks.last.map({ Double(index - $0) >= apart * 1_000 }) ?? true {
                    peaks.append(index)
                }
                low = index
            }
            index += 1
        }
        return peaks
    }

    /// Returns the increase in the spectrum over a millisecond, calculated from 1,024 samples.
    private static func flux(of sound: SyntheticSound, at millisecond: Int) -> Double {
        let now = millisecond * sound.sampleRate / 1_000
        let before = now - 1_024 / 8
        return zip(spectrum(sound, now), spectrum(sound, before))
            .reduce(0) { $0 + max($1.0 - $1.1, 0) }
    }

    private static func spectrum(_ sound: SyntheticSound, _ end: Int) -> [Double] {
        let samples = (0..<1_024).map { index -> Double in
            let place = end - 1_024 / 2 + index
            guard sound.samples.indices.contains(place) else { return 0 }
            return Double(sound.samples[place])
                * (0.5 - 0.5 * cos(2 * .pi * Double(index) / 1_024))
        }
        // Only frequencies below 1 kHz are used, as in the frequency analysis of the reference
        // algorithm.
        return (1..<22).map { bin in
            var (re, im) = (0.0, 0.0)
            for (index, sample) in samples.enumerated() {
                let angle = 2 * Double.pi * Double(bin * index % 1_024) / 1_024
                re += sample * cos(angle)
                im -= sample * sin(angle)
            }
            return (re * re + im * im).squareRoot()
        }
    }
}
