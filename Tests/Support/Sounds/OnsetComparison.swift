// Our onsets and the reference's, on the same sounds.

import HapticPatterns
import SoundImport

/// The scores of taps on all kinds of synthetic sounds.
public struct OnsetComparison: Sendable {
    /// Our score on each kind, and the reference's with its default.
    public private(set) var kinds: [(name: String, own: OnsetScore, reference: OnsetScore)] = []
    /// Our score on all kinds.
    public private(set) var own = OnsetScore()
    /// The reference's on all kinds, for each of its sensitivities.
    public private(set) var references = ReferenceEmphasis.sensitivities.map { _ in OnsetScore() }

    /// Imports sounds with the default settings, under noise at a ratio in decibels.
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

    /// The score of the reference with the sensitivity that does best on all kinds together.
    public var bestReference: Double { references.map(\.f1).max() ?? 0 }
}

extension SyntheticSound {
    /// Returns the taps that an import makes of the sound.
    public func taps(_ settings: ImportSettings = ImportSettings()) throws -> [HapticEvent] {
        let source = try SoundImport(channels: [samples], sampleRate: sampleRate)
        return try source.pattern(settings).pattern.events.filter { $0.type == .hapticTransient }
    }
}
