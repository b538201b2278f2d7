// AmplitudeEnvelope: the amplitude of an actuator's signal, as a level.

import HapticCompiler
import HapticPatterns
import PatternFormats

/// The amplitude of an oscillation over time.
struct AmplitudeEnvelope {
    /// The duration of a step, in microseconds.
    private static let step: Microseconds = 1_000
    /// The number of steps on each side of a step that contain the next peak of an oscillation: the
    /// 10 ms around a step contain half a period of 50 Hz. Longer pauses remain silent.
    private static let reach = 5
    /// The amplitude below which the signal is considered silent, because lossy codecs add noise:
    /// 40 dB below full scale.
    private static let leastAmplitude = 0.01
    /// The maximum deviation between the lines and the level, in just-noticeable differences.
    private static let tolerance = 0.5

    /// The amplitude in each step, 0...1.
    private let amplitudes: [Double]

    /// Determines the greatest amplitude of all channels in each step. The gaps between the peaks
    /// of an oscillation are filled, without moving its start and its end.
    init(of channels: [[Float]], sampleRate: Int) {
        let length = channels.first?.count ?? 0
        let samplesPerStep = Double(sampleRate) * Double(Self.step) / 1e6
        let count = Int((Double(length) / samplesPerStep).rounded(.up))
        var peaks = [Double](repeating: 0, count: count)
        for channel in channels {
            for (index, sample) in channel.enumerated() {
                let step = min(Int(Double(index) / samplesPerStep), count - 1)
                let amplitude = min(Double(abs(sample)), 1)
                if amplitude > peaks[step] { peaks[step] = amplitude }
            }
        }
        amplitudes = peaks.windowed(Self.reach, by: max).windowed(Self.reach, by: min)
    }

    /// Returns the level as a small number of straight lines; empty if nothing could be felt.
    func level(gain: Double) -> [Breakpoint] {
        var points = amplitudes.enumerated().map { index, amplitude in
            let intensity = gain * IntensityLaw.sqrt.intensity(ofAmplitude: amplitude)
            return Breakpoint(
                time: Microseconds(index) * Self.step,
                value: amplitude < Self.leastAmplitude ? 0 : min(intensity, 1))
        }
        guard points.contains(where: { $0.value > 0 }) else { return [] }
        points.append(Breakpoint(time: Microseconds(points.count) * Self.step, value: 0))
        return FittedCurve.points(points, from: 0) {
            Self.tolerance * Fidelity.levelWeber * max($0, Fidelity.leastFelt / 255)
        }
    }
}
