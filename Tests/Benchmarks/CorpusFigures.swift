// Figures of the real files: the number of rejected files, the number of losses, and the accuracy
// of the compiled patterns.

import HapticCompiler
import HapticPatterns
import Prediction
import TestSupport
import VirtualBoard

/// The worst figures of all real files. Each file plays in simulated time on the in-process board.
struct CorpusFigures {
    private var compiled = 0
    private var refused: [String] = []
    private var levelError = 0.0
    private var sharpnessError = 0.0
    private var quantisation = 0.0
    private var worstOnset: BoardTime = 0
    private var latest = "none"
    private var mismatches = 0
    private var sizes = SizeFigures()
    private var ramps = RampFigures()

    static func print() throws {
        guard !SharedFiles.ahap.isEmpty else {
            return note("skipped: the folder of real files is missing (HAPTIC_BRIDGE_SHARED)")
        }
        note("playing \(SharedFiles.ahap.count) real files in simulated time")
        var figures = CorpusFigures()
        for name in SharedFiles.ahap { try figures.add(name) }
        figures.print()
    }

    private mutating func add(_ name: String) throws {
        guard let pattern = try SharedFiles.pattern(name) else {
            return refused.append(name)
        }
        compiled += 1
        let result = HapticCompiler.compile(pattern, profile: .reference)
        sizes.add(name, pattern, result)
        ramps.add(name, pattern, result)
        let played = try PlayedPattern(result)
        mismatches += played.comparison.mismatches.count
        record(onsetOf: name, played.comparison)
        measure(result, against: pattern)
    }

    private mutating func record(onsetOf name: String, _ comparison: DriveComparison) {
        guard comparison.worstOnset > worstOnset else { return }
        worstOnset = comparison.worstOnset
        latest = "\(name), \(worstOnset) us"
        if let before = comparison.writeBeforeWorst {
            latest += "; the previous write began \(before) us before it was due"
        }
    }

    private mutating func measure(_ compiled: CompiledPattern, against pattern: HapticPattern) {
        let errors = LevelErrors(compiled, of: pattern)
        levelError = max(levelError, errors.level)
        sharpnessError = max(sharpnessError, errors.sharpness * 127 / 255)
        let silent = Set(compiled.report.items(of: .silentTap).map(\.event))
        let taps = pattern.events.enumerated()
            .filter { $1.type == .hapticTransient && !silent.contains($0) }
        for (tap, (_, event)) in zip(PlayedStream(compiled.events).taps, taps) {
            let distance = Double(tap.tick) * Double(compiled.tick) - Double(event.time)
            quantisation = max(quantisation, abs(distance))
        }
    }

    private func print() {
        printFigure("files_compiled", compiled, "files")
        printFigure("files_refused", refused.count, "files")
        printFigure("bus_mismatches", mismatches, "writes")
        printFigure("level_error_max", levelError, "of_255")
        printFigure("sharpness_error_max", sharpnessError, "of_127")
        printFigure("onset_quantisation_ms_max", quantisation / 1_000, "ms")
        printFigure("onset_bus_us_max", Int(worstOnset), "us")
        note("latest onset: \(latest)")
        sizes.print()
        ramps.print()
        for name in refused { note("refused: \(name)") }
    }
}
