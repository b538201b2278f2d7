// StyleRules: the numbers behind the styles. No single way pleases everyone (34 people did not agree
// on one of four, arXiv 2601.12245), so there are several, and none of them is right.

/// The rules by which a style makes a pattern of a sound.
struct StyleRules {
    /// The growth above which an onset is a tap at a density of a half.
    var threshold: Float
    /// The least time between two taps, in seconds.
    var apart: Double
    /// The times in which the level follows a rise and a fall, in seconds.
    var attack: Double
    var release: Double
    /// The factor on the level.
    var level: Double
    /// The share of the bass in the level, 0 to 1; the rest is everything.
    var bass: Double
    /// True if what is always there, such as a hum, is left out.
    var isFloorRemoved: Bool

    /// The least time between two taps in any style: 60 in a second are the most that a stream has room
    /// for, and more than actuators can part.
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
    /// The share of blows in the energy from which a sound is one of impacts.
    private static let impactShare = 0.6
    /// The number of onsets in a second from which a sound is music.
    private static let musicRate = 1.0
    /// The time after an onset in which a blow gives off its energy, in seconds.
    private static let blowLength = 0.1
    /// The share of the energy in such times from which a sound is one of impacts, if onsets are rare and
    /// if they are as frequent as in music, and the greatest share of the time that they may fill.
    private static let struckShare = (rare: 0.6, frequent: 0.8)
    private static let struckTimeMax = 0.4

    /// The style that the sound suggests: impacts if most of its energy is in blows, or follows at once
    /// upon what begins; ambience if hardly anything begins in it, and music otherwise.
    var suggestedStyle: ImportSettings.Style {
        let all = Self.energy(strength[...])
        if Self.energy(blow[...]) >= Self.impactShare * all { return .impacts }
        let onsets = onsets(above: StyleRules(.music).threshold)
        let isRare = Double(onsets.count) < Self.musicRate * Double(growth.count) * grid.seconds
        // A blow that rings is a tone rather than a blow to each of its stretches.
        let struck = struck(by: onsets)
        let share = isRare ? Self.struckShare.rare : Self.struckShare.frequent
        if struck.energy >= share * all, struck.time <= Self.struckTimeMax { return .impacts }
        return isRare ? .ambience : .music
    }

    /// Returns the energy that the sound has right after onsets, and the share of its time that this is.
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
