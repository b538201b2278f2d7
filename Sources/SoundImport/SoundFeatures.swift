// SoundFeatures: the features of each short frame of a sound.

import CMath

/// The features of the frames of a sound, in order of time.
struct SoundFeatures {
    let grid: FrameGrid
    /// The root mean square of the whole sound.
    private(set) var strength: [Float] = []
    /// The root mean square of the percussive part.
    private(set) var blow: [Float] = []
    /// The root mean square of the non-percussive part.
    private(set) var rest: [Float] = []
    /// The root mean square of the bass of the non-percussive part.
    private(set) var bass: [Float] = []
    /// The energy-weighted mean of the logarithm of the frequency in hertz; 0 if the frame is
    /// silent.
    private(set) var pitch: [Float] = []
    /// The mean growth of all bands since the frame two frames earlier (Böck and Widmer 2013,
    /// "SuperFlux").
    private(set) var growth: [Float] = []

    /// The number of frames whose spectra are stored in memory at the same time.
    private static let blockLength = 2_048
    /// The upper limit of the bass frequencies, in hertz.
    private static let bassMax = 250.0
    /// The number of frames over which growth is measured.
    private static let lag = 2

    /// Computes the features of the mean of the given channels. The root mean square of the loudest
    /// frame must be about 1.
    init(_ sound: [[Float]], grid: FrameGrid) {
        self.grid = grid
        let count = grid.count(ofSamples: sound[0].count)
        let spectrograph = Spectrograph(grid)
        let bands = FrequencyBands(grid)
        let context = PartSeparation.span / 2
        for start in stride(from: 0, to: count, by: Self.blockLength) {
            let frames = start..<min(start + Self.blockLength, count)
            let around = start - context..<frames.upperBound + context
            let strengths = spectrograph.strengths(of: sound, frames: around)
            let fractions = PartSeparation.percussiveFractions(of: strengths, bins: grid.bins)
            let own = context..<context + frames.count
            appendEnergies(strengths, fractions, own)
            appendGrowth(bands.levels(of: strengths, fractions), own)
        }
    }

    private mutating func appendEnergies(
        _ strengths: [Float], _ fractions: [Float], _ frames: Range<Int>
    ) {
        let logarithms = (0..<grid.bins).map { Float(math_log(max(grid.frequency($0), 1))) }
        let bassEnd = (1..<grid.bins).first { grid.frequency($0) > Self.bassMax } ?? grid.bins
        for frame in frames {
            var (all, struck, weighted): (Float, Float, Float) = (0, 0, 0)
            var low: Float = 0
            let row = frame * grid.bins
            for bin in 1..<grid.bins {
                let energy = strengths[row + bin] * strengths[row + bin]
                all += energy
                struck += energy * fractions[row + bin]
                weighted += energy * logarithms[bin]
                if bin < bassEnd { low += energy * (1 - fractions[row + bin]) }
            }
            strength.append(all.squareRoot())
            blow.append(struck.squareRoot())
            rest.append(max(all - struck, 0).squareRoot())
            bass.append(low.squareRoot())
            pitch.append(all > 0 ? weighted / all : 0)
        }
    }

    private mutating func appendGrowth(_ levels: FrequencyBands.Levels, _ frames: Range<Int>) {
        let count = levels.bands
        for frame in frames {
            let (now, before) = (frame * count, (frame - Self.lag) * count)
            var sum: Float = 0
            for band in 0..<count {
                // The growth is measured relative to the maximum of the neighboring bands, so that
                // vibrato does not count as growth.
                let low = levels.values[before + max(band - 1, 0)]
                let high = levels.values[before + min(band + 1, count - 1)]
                let past = max(low, levels.values[before + band], high)
                sum += max(levels.values[now + band] - past, 0)
            }
            growth.append(sum / Float(count))
        }
    }
}

/// Frequency bands that are approximately as wide as the critical bands of the ear.
struct FrequencyBands {
    /// Logarithmic levels, with `bands` values for each frame.
    struct Levels {
        let bands: Int
        let values: [Float]
    }

    private let bins: Int
    private let edges: [Int]
    /// The frequency ratio of neighboring bands: six bands per octave.
    private static let ratio = 1.122
    /// The magnitude, as a fraction of the greatest magnitude, above which levels are logarithmic.
    private static let knee = 0.01
    /// The weight of a purely harmonic magnitude. The weight of a purely percussive magnitude is 1.
    private static let toneWeight: Float = 0.15

    init(_ grid: FrameGrid) {
        bins = grid.bins
        var edges = [1]
        while let last = edges.last, last < grid.bins {
            let next = Int((Double(last) * Self.ratio).rounded())
            edges.append(min(max(next, last + 1), grid.bins))
        }
        self.edges = edges
    }

    func levels(of strengths: [Float], _ fractions: [Float]) -> Levels {
        let count = edges.count - 1
        var values: [Float] = []
        let rows = strengths.count / bins
        values.reserveCapacity(rows * count)
        for row in 0..<rows {
            for band in 0..<count {
                var energy: Float = 0
                for bin in edges[band]..<edges[band + 1] {
                    let index = row * bins + bin
                    let weight = Self.toneWeight + (1 - Self.toneWeight) * fractions[index]
                    let strength = strengths[index] * weight
                    energy += strength * strength
                }
                let strength = Double(energy.squareRoot())
                values.append(Float(math_log(1 + strength / Self.knee)))
            }
        }
        return Levels(bands: count, values: values)
    }
}
