// Spectrogram: the magnitudes of the frequencies in short frames of a sound.

import CMath

/// The division of a sound into overlapping frames. The division depends on the sample rate.
struct FrameGrid {
    /// The number of samples per second.
    let sampleRate: Int
    /// The number of samples of a frame, a power of two.
    let window: Int
    /// The number of frequency bins up to ``highest``.
    let bins: Int

    /// The length of a frame in seconds. A frame is long enough to separate frequencies, and short
    /// enough to separate taps.
    private static let length = 0.0213
    private static let windows = 64...16_384
    /// The highest frequency that is analyzed, in hertz. Higher frequencies contain only noise.
    private static let highest = 8_000.0

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        var window = Self.windows.lowerBound
        let wanted = Self.length * Double(sampleRate)
        while window < Self.windows.upperBound, Double(window) * 1.414 < wanted { window *= 2 }
        self.window = window
        bins = min(window / 2, Int(Self.highest * Double(window) / Double(sampleRate)) + 1)
    }

    /// The number of samples between the starts of two consecutive frames.
    var hop: Int { window / 4 }

    /// The time between the starts of two consecutive frames, in seconds.
    var seconds: Double { Double(hop) / Double(sampleRate) }

    /// Returns the number of frames of a sound.
    func count(ofSamples samples: Int) -> Int { samples == 0 ? 0 : samples / hop + 1 }

    /// Returns the number of frames nearest to a time in seconds; at least 1.
    func frames(_ seconds: Double) -> Int { max(1, Int((seconds / self.seconds).rounded())) }

    /// Returns the frequency of a bin, in hertz.
    func frequency(_ bin: Int) -> Double { Double(bin) * Double(sampleRate) / Double(window) }
}

/// Computes the magnitudes of the frequencies in the frames of a sound.
struct Spectrograph {
    let grid: FrameGrid
    private let transform: FourierTransform
    private let shape: [Float]
    private let scale: Float

    init(_ grid: FrameGrid) {
        self.grid = grid
        transform = FourierTransform(count: grid.window)
        let count = Double(grid.window)
        shape = (0..<grid.window).map {
            Float(0.5 - 0.5 * math_cos(2 * Double.pi * (Double($0) + 0.5) / count))
        }
        // With this scale, the sum of the squares of a frame's magnitudes is the mean square of the
        // frame. The Hann window preserves 3/8 of the energy, and each frequency of a real signal
        // occurs twice in the transform.
        scale = Float((2 / (count * count * 0.375)).squareRoot())
    }

    /// Returns the magnitudes of the mean of the channels, with `bins` values for each frame. The
    /// center of a frame is the sample `hop * frame`. Frames outside the sound are silent.
    func strengths(of sound: [[Float]], frames: Range<Int>) -> [Float] {
        var result = [Float](repeating: 0, count: frames.count * grid.bins)
        var real = [Float](repeating: 0, count: grid.window)
        var imaginary = real
        result.withUnsafeMutableBufferPointer { result in
            real.withUnsafeMutableBufferPointer { real in
                imaginary.withUnsafeMutableBufferPointer { imaginary in
                    // One complex transform processes two frames.
                    for frame in stride(from: frames.lowerBound, to: frames.upperBound, by: 2) {
                        load(sound, frame, into: real)
                        load(sound, frame + 1, into: imaginary)
                        transform.transform(real, imaginary)
                        let start = (frame - frames.lowerBound) * grid.bins
                        part(real, imaginary, into: result, at: start)
                    }
                }
            }
        }
        return result
    }

    private func load(
        _ sound: [[Float]], _ frame: Int, into samples: UnsafeMutableBufferPointer<Float>
    ) {
        let start = frame * grid.hop - grid.window / 2
        samples.update(repeating: 0)
        for channel in sound {
            channel.withUnsafeBufferPointer { channel in
                for index in 0..<grid.window where channel.indices.contains(start + index) {
                    samples[index] += channel[start + index]
                }
            }
        }
        shape.withUnsafeBufferPointer { shape in
            for index in 0..<grid.window {
                samples[index] = samples[index] / Float(sound.count) * shape[index]
            }
        }
    }

    /// Separates the transforms of two frames. The separation is possible because the transform of
    /// a real signal is symmetric.
    private func part(
        _ real: UnsafeMutableBufferPointer<Float>, _ imaginary: UnsafeMutableBufferPointer<Float>,
        into result: UnsafeMutableBufferPointer<Float>, at start: Int
    ) {
        let hasSecond = start + 2 * grid.bins <= result.count
        // Bin 0 is the mean value, which is not audible.
        for bin in 1..<grid.bins {
            let mirror = grid.window - bin
            let (a, b) = (real[bin] + real[mirror], imaginary[bin] - imaginary[mirror])
            result[start + bin] = (a * a + b * b).squareRoot() * 0.5 * scale
            guard hasSecond else { continue }
            let (c, d) = (imaginary[bin] + imaginary[mirror], real[mirror] - real[bin])
            result[start + grid.bins + bin] = (c * c + d * d).squareRoot() * 0.5 * scale
        }
    }
}
