// Synthetic sounds with known onsets.

import Foundation

/// A sound with one channel, and the times at which its parts begin.
public struct SyntheticSound: Sendable {
    /// The name used in messages.
    public var name: String
    /// The samples, with a full scale of ±1.
    public var samples: [Float]
    /// The number of samples per second.
    public var sampleRate: Int
    /// The onsets, in seconds.
    public var onsets: [Double] = []

    /// Creates silence.
    public init(_ name: String, seconds: Double, sampleRate: Int = 48_000) {
        self.name = name
        self.sampleRate = sampleRate
        samples = [Float](repeating: 0, count: Int(seconds * Double(sampleRate)))
    }

    /// Adds a part that begins at a given time. The samples of the part are a function of the
    /// seconds since this time.
    public mutating func add(
        at time: Double, lasting length: Double, isOnset: Bool = true,
        _ value: (Double) -> Double
    ) {
        let start = Int(time * Double(sampleRate))
        for index in start..<min(start + Int(length * Double(sampleRate)), samples.count) {
            samples[index] += Float(value(Double(index - start) / Double(sampleRate)))
        }
        if isOnset { onsets.append(time) }
    }

    /// Returns the sound with added white noise at a signal-to-noise ratio in decibels.
    public func noisy(_ ratio: Double, seed: UInt64) -> SyntheticSound {
        var generator = SeededGenerator(seed: seed)
        var noisy = self
        let power = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
        // Uniform noise between -1 and 1 has a power of one third.
        let amplitude = (3 * power / pow(10, ratio / 10)).squareRoot()
        for index in samples.indices {
            noisy.samples[index] += Float(amplitude * Double.random(in: -1...1, using: &generator))
        }
        return noisy
    }
}

extension SyntheticSound {
    /// Sounds of several kinds. The onsets in each sound are 60 ms to 700 ms apart, and differ in
    /// strength by up to 14 dB.
    public static func all(seed: UInt64) -> [SyntheticSound] {
        [clicks(seed), drums(seed), plucks(seed), steps(seed), bursts(seed), drumsOverBass(seed)]
    }

    /// Returns times that are far enough apart to be perceived separately, each with a strength.
    private static func moments(
        _ generator: inout SeededGenerator, until end: Double, apart: ClosedRange<Double>
    ) -> [(time: Double, strength: Double)] {
        var time = 0.2
        var moments: [(Double, Double)] = []
        while time < end - 0.4 {
            moments.append((time, Double.random(in: 0.2...1, using: &generator)))
            time += Double.random(in: apart, using: &generator)
        }
        return moments
    }

    /// Returns a tone that decays from the first sample to the last sample.
    public static func decaying(_ time: Double, over constant: Double, hertz: Double) -> Double {
        exp(-time / constant) * sine(hertz, time)
    }

    /// Sounds with far more detail than an actuator can resolve.
    public static func hostile(seed: UInt64) -> [SyntheticSound] {
        var generator = SeededGenerator(seed: seed)
        var noise = SyntheticSound("white noise", seconds: 4)
        noise.add(at: 0, lasting: 4, isOnset: false) { _ in
            Double.random(in: -1...1, using: &generator)
        }
        var sounds = [noise]
        for rate in [30.0, 61, 90, 200] {
            var clicks = SyntheticSound("\(Int(rate)) Hz clicks", seconds: 4)
            for index in 0..<Int(4 * rate) {
                clicks.add(at: Double(index) / rate, lasting: 0.005) {
                    decaying($0, over: 0.0005, hertz: 3_000)
                }
            }
            sounds.append(clicks)
        }
        return sounds
    }

    private static func sine(_ hertz: Double, _ time: Double) -> Double {
        sin(2 * .pi * hertz * time)
    }

    /// Clicks of 2 ms.
    public static func clicks(_ seed: UInt64) -> SyntheticSound {
        var generator = SeededGenerator(seed: seed)
        var sound = SyntheticSound("clicks", seconds: 12)
        for (time, strength) in moments(&generator, until: 12, apart: 0.06...0.5) {
            sound.add(at: time, lasting: 0.02) {
                strength * exp(-$0 / 0.002) * sine(2_000, $0)
            }
        }
        return sound
    }

    /// A kick, a snare or a hi-hat on each eighth note.
    public static func drums(_ seed: UInt64) -> SyntheticSound {
        var generator = SeededGenerator(seed: seed &+ 1)
        var noise = SeededGenerator(seed: seed &+ 2)
        var sound = SyntheticSound("drums", seconds: 12)
        for (index, time) in stride(from: 0.25, to: 11.5, by: 0.22).enumerated() {
            let strength = Double.random(in: 0.4...1, using: &generator)
            switch index % 4 {
            case 0:
                sound.add(at: time, lasting: 0.3) {
                    strength * exp(-$0 / 0.08) * sine(50 + 100 * exp(-$0 / 0.02), $0)
                }
            case 2:
                sound.add(at: time, lasting: 0.25) {
                    let hiss = Double.random(in: -1...1, using: &noise)
                    return strength * 0.6 * exp(-$0 / 0.05) * (hiss + sine(190, $0))
                }
            default:
                sound.add(at: time, lasting: 0.1) {
                    let hiss = Double.random(in: -1...1, using: &noise)
                    return strength * 0.35 * exp(-$0 / 0.02) * hiss
                }
            }
        }
        return sound
    }

    /// Drums over a continuous bass.
    public static func drumsOverBass(_ seed: UInt64) -> SyntheticSound {
        var sound = drums(seed)
        sound.name = "drums over bass"
        sound.add(at: 0, lasting: 12, isOnset: false) {
            0.15 * (sine(80, $0) + 0.5 * sine(160, $0)) * (1 + 0.3 * sine(0.7, $0))
        }
        return sound
    }

    /// Plucked strings: decaying tones with overtones.
    public static func plucks(_ seed: UInt64) -> SyntheticSound {
        var generator = SeededGenerator(seed: seed &+ 3)
        var sound = SyntheticSound("plucks", seconds: 12)
        for (time, strength) in moments(&generator, until: 12, apart: 0.12...0.6) {
            let hertz = 110 * pow(2, Double(Int.random(in: 0...24, using: &generator)) / 12)
            sound.add(at: time, lasting: 0.8) { time in
                strength * 0.4 * exp(-time / 0.2) * min(time / 0.003, 1)
                    * (1...6).reduce(0) { $0 + sine(hertz * Double($1), time) / Double($1) }
            }
        }
        return sound
    }

    /// Steps: thuds with noise.
    public static func steps(_ seed: UInt64) -> SyntheticSound {
        var generator = SeededGenerator(seed: seed &+ 4)
        var noise = SeededGenerator(seed: seed &+ 5)
        var sound = SyntheticSound("steps", seconds: 12)
        for (time, strength) in moments(&generator, until: 12, apart: 0.25...0.7) {
            sound.add(at: time, lasting: 0.2) {
                let grit = 0.3 * Double.random(in: -1...1, using: &noise) * exp(-$0 / 0.04)
                return strength * (exp(-$0 / 0.025) * sine(90, $0) + grit)
            }
        }
        return sound
    }

    /// Knocks on wood at intervals of a quarter of a second.
    public static func knocks(_ count: Int, lasting length: Double) -> SyntheticSound {
        var sound = SyntheticSound("knocks", seconds: length)
        for index in 0..<count {
            sound.add(at: 0.3 + 0.25 * Double(index), lasting: 0.4) {
                decaying($0, over: 0.06, hertz: 180) + 0.5 * decaying($0, over: 0.02, hertz: 730)
            }
        }
        return sound
    }

    /// A creak of a hinge that lasts for two seconds.
    public static var creak: SyntheticSound {
        var sound = SyntheticSound("creak", seconds: 2)
        sound.add(at: 0, lasting: 2, isOnset: false) {
            0.05 * min($0, 1) * (sine(300, $0) + 0.5 * sine(710, $0))
        }
        return sound
    }

    /// Bursts of noise.
    public static func bursts(_ seed: UInt64) -> SyntheticSound {
        var generator = SeededGenerator(seed: seed &+ 6)
        var noise = SeededGenerator(seed: seed &+ 7)
        var sound = SyntheticSound("bursts", seconds: 12)
        for (time, strength) in moments(&generator, until: 12, apart: 0.15...0.6) {
            sound.add(at: time, lasting: 0.12) {
                strength * min($0 / 0.002, 1) * exp(-$0 / 0.06)
                    * Double.random(in: -1...1, using: &noise)
            }
        }
        return sound
    }
}
