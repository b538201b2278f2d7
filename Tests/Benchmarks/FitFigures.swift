// Figures for the fit of an actuator: the felt errors of real files before and after the fit.

import BridgeLink
import DRV2605
import Foundation
import HapticBridge
import HapticCompiler
import HapticPatterns
import TestSupport

/// The felt errors of patterns on actuators that differ from their configuration by up to a third.
///
/// For each file, the properties of an actuator are random: up to a third above or below those of
/// the coin actuator. Each figure is a mean ``FeltError``, in steps of 20 %: `feel_before_fit_*`
/// for the plans for the coin actuator, `feel_after_fit_*` for the plans for the fitted actuator,
/// `feel_known_*` for the plans for the true properties, `feel_fit_optimum_*` for the best possible
/// drives, whose levels can have any value, and `feel_fit_rounding_*` for the design rounded to the
/// 256 levels of a stream. `feel_fit_ratio_*` is the error after the fit, relative to the optimum.
/// The fit uses the samples of an accelerometer with a random clock, gain and offset.
struct FitFigures {
    /// The maximum length of the part of a file that is compared, in microseconds.
    private static let limit: Microseconds = 8_000_000
    /// The number of files in addition to those of Apple's sampler.
    private static let others = 20

    /// The errors for a file, in steps.
    private struct Entry {
        var name: String
        var before: Double
        var after: Double
        var known: Double
        var optimum: Double
        var rounding: Double
    }

    static func print() throws {
        let sampler = SharedFiles.ahap.filter { $0.contains("AppleHapticSampler") }
        let rest = SharedFiles.ahap.filter { !$0.contains("AppleHapticSampler") }
        guard rest.count > others else {
            return note("skipped: the folder of real files is missing (HAPTIC_BRIDGE_SHARED)")
        }
        let files =
            sampler + stride(from: 3, to: rest.count, by: rest.count / others).map { rest[$0] }
        for configuration in [ActuatorConfiguration.coinLRA, .coinERM] {
            var generator = SeededGenerator(seed: 48)
            let entries = try files.compactMap { name in
                try SharedFiles.pattern(name).map { pattern in
                    try entry(name, pattern, on: configuration, from: &generator)
                }
            }
            print(entries, "\(configuration.kind)".lowercased())
        }
    }

    private static func entry(
        _ name: String, _ whole: HapticPattern, on configuration: ActuatorConfiguration,
        from generator: inout SeededGenerator
    ) throws -> Entry {
        let pattern = HapticPattern(
            events: whole.events.filter { $0.time < limit }, parameters: whole.parameters,
            curves: whole.curves)
        let comparison = try FittedComparison(
            of: pattern, until: limit, configured: configuration, from: &generator)
        return Entry(
            name: name, before: comparison.before.mean, after: comparison.after.mean,
            known: comparison.known.mean, optimum: comparison.optimum.mean,
            rounding: comparison.rounding)
    }

    private static func print(_ entries: [Entry], _ kind: String) {
        func mean(_ value: KeyPath<Entry, Double>) -> Double {
            entries.reduce(0) { $0 + $1[keyPath: value] } / Double(max(entries.count, 1))
        }
        printFigure("feel_before_fit_\(kind)", mean(\.before), "steps")
        printFigure("feel_after_fit_\(kind)", mean(\.after), "steps")
        printFigure("feel_known_\(kind)", mean(\.known), "steps")
        printFigure("feel_fit_optimum_\(kind)", mean(\.optimum), "steps")
        printFigure("feel_fit_rounding_\(kind)", mean(\.rounding), "steps")
        printFigure("feel_fit_ratio_\(kind)", mean(\.after) / mean(\.optimum), "times")
        for entry in entries.sorted(by: { $0.after - $0.optimum > $1.after - $1.optimum }) {
            let text = [entry.before, entry.after, entry.optimum]
                .map { String(format: "%.3f", $0) }.joined(separator: " ")
            note("  \(entry.name): \(text)")
        }
    }
}
