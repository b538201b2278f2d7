// Figures of the fit of an actuator: the felt errors of real files before and after the fit.

import BridgeLink
import DRV2605
import Foundation
import HapticBridge
import HapticCompiler
import HapticPatterns
import TestSupport

/// The felt errors of patterns on actuators that differ from their configuration by up to a third.
///
/// For each file, an actuator has random properties up to a third above or below those of the coin
/// actuator. `feel_before_fit_*` is the mean ``FeltError`` of the plans for the coin actuator,
/// `feel_after_fit_*` that of the plans for the fitted actuator, `feel_known_*` that of the plans for
/// the true properties, and `feel_fit_optimum_*` that of the best possible drives; all of them are in steps of 20 %. The fit uses the samples of an accelerometer
/// with a random clock, gain and offset.
struct FitFigures {
    /// The part of a file that is compared, in microseconds.
    private static let limit: Microseconds = 8_000_000
    /// The number of files in addition to those of Apple's sampler.
    private static let others = 20

    /// The errors in a file, in steps.
    private struct Entry {
        var name: String
        var before: Double
        var after: Double
        var known: Double
        var optimum: Double
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
            known: comparison.known.mean, optimum: comparison.optimum.mean)
    }

    private static func print(_ entries: [Entry], _ kind: String) {
        func mean(_ value: KeyPath<Entry, Double>) -> Double {
            entries.reduce(0) { $0 + $1[keyPath: value] } / Double(max(entries.count, 1))
        }
        printFigure("feel_before_fit_\(kind)", mean(\.before), "steps")
        printFigure("feel_after_fit_\(kind)", mean(\.after), "steps")
        printFigure("feel_known_\(kind)", mean(\.known), "steps")
        printFigure("feel_fit_optimum_\(kind)", mean(\.optimum), "steps")
        for entry in entries.sorted(by: { $0.after - $0.optimum > $1.after - $1.optimum }) {
            let text = [entry.before, entry.after, entry.optimum]
                .map { String(format: "%.3f", $0) }.joined(separator: " ")
            note("  \(entry.name): \(text)")
        }
    }
}
