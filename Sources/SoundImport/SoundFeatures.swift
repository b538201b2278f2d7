// SoundFeatures: what is known of each short stretch of a sound.

import CMath

/// The features of each stretch of a sound, in order of time.
struct SoundFeatures {
    let grid: FrameGrid
    /// The strength of everything, as a root mean square.
    private(set) var strength: [Float] = []
    /// The strength of the percussive part.
    private(set) var blow: [Float] = []
    /// The strength of the rest.
    private(set) var rest: [Float] = []
    /// The strength of the bass in the rest.
    private(set) var bass: [Float] = []
    /// The logarithm of the mean frequency in hertz, weighted by energy; 0 in silence.
    private(set) var pitch: [Float] = []
    /// The growth of all bands since the stretch two before (Böck and Widmer 2013, "SuperFlux").
    private(set) var growth: [Float] = []

    /// The number of stretches whose strengths are in memory at once.
    private static let blockLength = 2_048
    /// The highest frequency of the bass, in hertz.
    private static let bassMax = 250.0
    /// The distance over which growth is measured, in stretches.
    private static let lag = 2

    /// Computes the features of a sound, the mean of channels, whose strongest stretch has a strength of
    /// about 1.
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
            let shares = PartSeparation.percussiveShares(of: strengths, bins: grid.bins)
            let own = context..<context + frames.count
            appendEnergies(strengths, shares, own)
            appendGrowth(bands.levels(of: strengths, shares), own)
        }
    }

    private mutating func appendEnergies(
        _ strengths: [Float], _ shares: [Float], _ frames: Range<Int>
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
                struck += energy * shares[row + bin]
                weighted += energy * logarithms[bin]
                if bin < bassEnd { low += energy * (1 - shares[row + bin]) }
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
                // The neighbours' greatest value: vibrato is no growth.
                let low = levels.values[before + max(band - 1, 0)]
                let high = levels.values[before + min(band + 1, count - 1)]
                let past = max(low, levels.values[before + band], high)
                sum += max(levels.values[now + band] - past, 0)
            }
            growth.append(sum / Float(count))
        }
    }
}

/// Bands of frequencies, as wide as those that the ear parts.
struct FrequencyBands {
    /// Logarithmic levels, `bands` of them for each stretch.
    struct Levels {
        let bands: Int
        let values: [Float]
    }

    private let bins: Int
    private let edges: [Int]
    /// The ratio of the frequencies of neighbouring bands: six of them in an octave.
    private static let ratio = 1.122
    /// The strength, in parts of the strongest, around which levels become logarithmic.
    private static let knee = 0.01
    /// The weight of a strength that is all tone; 1 for one that is all blow.
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

    func levels(of strengths: [Float], _ shares: [Float]) -> Levels {
        let count = edges.count - 1
        var values: [Float] = []
        let rows = strengths.count / bins
        values.reserveCapacity(rows * count)
        for row in 0..<rows {
            for band in 0..<count {
                var energy: Float = 0
                for bin in edges[band]..<edges[band + 1] {
                    let index = row * bins + bin
                    let weight = Self.toneWeight + (1 - Self.toneWeight) * shares[index]
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
