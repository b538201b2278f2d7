// OnsetComparison: a comparison of the onsets that the importer and the reference algorithm detect
// in the same sounds.

import HapticPatterns
import SoundImport

/// The scores of the taps that both algorithms detect in all kinds of synthetic sounds.
public struct OnsetComparison: Sendable {
    /// The score of the importer for each kind of sound, and the score of the reference algorithm
    /// with its default sensitivity.
    public private(set) var kinds: [(name: String, own: OnsetScore, reference: OnsetScore)] = []
    /// The score of the importer for all kinds of sounds together.
    public private(set) var own = OnsetScore()
    /// The score of the reference algorithm for all kinds of sounds together, at each of its
    /// sensitivities.
    public private(set) var references = ReferenceEmphasis.sensitivities.map { _ in OnsetScore() }

    /// Imports sounds with the default settings, after adding noise at a signal-to-noise ratio in
    /// decibels.
    public init(noise ratio: Double, seeds: Range<UInt64>) throws {
        for seed in seeds {
            for (index, sound) in SyntheticSound.all(seed: seed).enumerated() {
                if kinds.count == index { kinds.append((sound.name, .init(), .init())) }
                let noisy = sound.noisy(ratio, seed: seed &+ 1_000)
                let taps = try noisy.taps().map { Double($0.time) / 1e6 }
                kinds[index].own.count(taps, of: sound.onsets)
                own.count(taps, of: sound.onsets)
                let others = ReferenceEmphasis.onsets(of: noisy)
                kinds[index].reference.count(others[0], of: sound.onsets)
                for place in others.indices {
                    references[place].count(others[place], of: sound.onsets)
                }
            }
        }
    }

    /// The best score of the reference algorithm at any sensitivity, for all kinds of sounds
    /// together.
    public var bestReference: Double { references.map(\.f1).max() ?? 0 }
}

extension SyntheticSound {
    /// Returns the taps that an import of the sound produces.
    public func taps(_ settings: ImportSettings = ImportSettings()) throws -> [HapticEvent] {
        let source = try SoundImport(channels: [samples], sampleRate: sampleRate)
        return try source.pattern(settings).pattern.events.filter { $0.type == .hapticTransient }
    }
}
