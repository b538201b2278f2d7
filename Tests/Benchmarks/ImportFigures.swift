// Figures for the import of sounds.

import AHAP
import Foundation
import SoundImport
import TestSupport

/// The time to import a minute of sound, and the accuracy of onset detection.
struct ImportFigures {
    private static let repetitions = 3

    static func print() throws {
        let drums = SyntheticSound.drumsOverBass(1).noisy(20, seed: 2)
        let minute = (0..<5).flatMap { _ in drums.samples }
        let clock = ContinuousClock()
        let times = try (0..<repetitions).map { _ in
            try clock.measure {
                let source = try SoundImport(channels: [minute], sampleRate: drums.sampleRate)
                let (pattern, settings) = try source.pattern()
                let document = try SoundImport.document(
                    of: pattern, settings: settings, name: "drums")
                precondition(!AHAPWriter.text(of: document).isEmpty)
            }
        }
        printFigure("import_60s_ms", (times.min() ?? .zero) / .milliseconds(1), "ms", decimals: 0)
        let scores = try OnsetComparison(noise: 20, seeds: 11..<14)
        printFigure("import_onset_f1", scores.own.f1, "ratio")
        printFigure("import_onset_f1_reference", scores.references[0].f1, "ratio")
        printFigure("import_onset_f1_reference_best", scores.bestReference, "ratio")
    }
}
