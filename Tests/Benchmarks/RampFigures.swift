// Figures of the real files: the number of ramps, compared with the minimum possible number of
// ramps.

import HapticCompiler
import HapticPatterns
import TestSupport

/// Figures of the files with the most ramps, compared with the minimum number.
struct RampFigures {
    private static let files = 20
    /// The maximum length of a pattern whose minimum number of ramps is calculated. For longer
    /// patterns, the calculation takes minutes.
    private static let longest: Microseconds = 60_000_000

    private var ramped: [(name: String, pattern: HapticPattern, changes: Int, ramps: Int)] = []

    mutating func add(_ name: String, _ pattern: HapticPattern, _ compiled: CompiledPattern) {
        guard compiled.renderedDuration <= Self.longest else { return }
        let ramps = compiled.events.count {
            if case .levelRamp = $0.content { true } else { false }
        }
        ramped.append((name, pattern, FewestRamps.changes(in: compiled.events), ramps))
    }

    func print() {
        let most = ramped.sorted { $0.ramps > $1.ramps }.prefix(Self.files)
        var (changes, fewest) = (0, 0)
        for file in most {
            let optimum = FewestRamps(file.pattern).count
            note("\(file.name): \(file.changes) changes of level; at least \(optimum) are needed")
            changes += file.changes
            fewest += optimum
        }
        printFigure("ramps_over_optimum", Double(changes) / Double(max(fewest, 1)), "ratio")
    }
}
