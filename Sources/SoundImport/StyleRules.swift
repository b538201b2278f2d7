// StyleRules: the parameters of the styles. There are several styles because people prefer
// different conversions: 34 participants in a study did not agree on the best of four conversions
// (arXiv 2601.12245).

/// The parameters of a style's conversion of a sound to a pattern.
struct StyleRules {
    /// The growth above which an onset becomes a tap, at a density of 0.5.
    var threshold: Float
    /// The minimum time between two taps, in seconds.
    var apart: Double
    /// The time constants of the level for a rise (attack) and a fall (release), in seconds.
    var attack: Double
    var release: Double
    /// The factor by which the level is multiplied.
    var level: Double
    /// The weight of the bass in the level, 0...1. The remaining weight applies to the whole
    /// non-percussive part.
    var bass: Double
    /// True if the noise floor, such as a hum, is removed.
    var isFloorRemoved: Bool

    /// The minimum time between two taps in any style, in seconds. This interval results in at most
    /// 60 taps per second, which is the capacity of a stream and exceeds the number of taps that
    /// actuators can separate.
    static let leastApart = 0.017

    init(_ style: ImportSettings.Style) {
        switch style {
        case .impacts:
            self.init(0.15, apart: 0.03, 0.005, 0.04, level: 0.6, bass: 0, isFloorRemoved: true)
        case .auto, .music:
            self.init(0.15, apart: 0.05, 0.005, 0.06, level: 0.7, bass: 0.7, isFloorRemoved: false)
        case .speech:
            self.init(0.4, apart: 0.09, 0.01, 0.04, level: 0.9, bass: 0, isFloorRemoved: true)
        case .ambience:
            self.init(0.6, apart: 0.15, 0.05, 0.2, level: 0.8, bass: 0.3, isFloorRemoved: false)
        }
    }

    private init(
        _ threshold: Float, apart: Double, _ attack: Double, _ release: Double, level: Double,
        bass: Double, isFloorRemoved: Bool
    ) {
        self.threshold = threshold
        self.apart = max(apart, Self.leastApart)
        self.attack = attack
        self.release = release
        self.level = level
        self.bass = bass
        self.isFloorRemoved = isFloorRemoved
    }
}

extension SoundFeatures {
    /// The minimum percussive fraction of the energy for which the style `impacts` is suggested.
    private static let impactFraction = 0.6
    /// The minimum number of onsets per second for which the style `music` is suggested.
    private static let musicRate = 1.0
    /// The time after an onset during which an impact emits its energy, in seconds.
    private static let blowLength = 0.1
    /// The fractions of the energy that must occur within ``blowLength`` after onsets for the style
    /// `impacts` to be suggested: one fraction for rare onsets, and one for onsets that are as
    /// frequent as in music. ``struckTimeMax`` is the maximum fraction of the time that these
    /// intervals may take.
    private static let struckFraction = (rare: 0.6, frequent: 0.8)
    private static let struckTimeMax = 0.4

    /// The suggested style: `impacts` if most of the energy is percussive or immediately follows
    /// onsets, `ambience` if onsets are rare, and otherwise `music`.
    var suggestedStyle: ImportSettings.Style {
        let all = Self.energy(strength[...])
        if Self.energy(blow[...]) >= Self.impactFraction * all { return .impacts }
        let onsets = onsets(above: StyleRules(.music).threshold)
        let isRare = Double(onsets.count) < Self.musicRate * Double(growth.count) * grid.seconds
        // If the sound of an impact rings, its frames are considered harmonic, so the energy after
        // onsets is examined as well.
        let struck = struck(by: onsets)
        let fraction = isRare ? Self.struckFraction.rare : Self.struckFraction.frequent
        if struck.energy >= fraction * all, struck.time <= Self.struckTimeMax { return .impacts }
        return isRare ? .ambience : .music
    }

    /// Returns the energy of the sound immediately after onsets, and the fraction of the total time
    /// that is immediately after onsets.
    private func struck(by onsets: [Onset]) -> (energy: Double, time: Double) {
        let length = grid.frames(Self.blowLength)
        var (energy, count, end) = (0.0, 0, 0)
        for onset in onsets {
            let frames = max(onset.frame - 1, end)..<min(onset.frame + length, strength.count)
            energy += Self.energy(strength[frames])
            count += frames.count
            end = frames.upperBound
        }
        return (energy, Double(count) / Double(strength.count))
    }

    private static func energy(_ values: ArraySlice<Float>) -> Double {
        values.reduce(0) { $0 + Double($1) * Double($1) }
    }
}
