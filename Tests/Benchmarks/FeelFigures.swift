// Figures of the perceived vibration: the errors of planned drives and of the best possible drives.

import BridgeLink
import DRV2605
import Foundation
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import TestSupport

/// The errors of the real files on the modeled coin actuators. These errors are predictions, not
/// measurements of an actuator.
///
/// The planned drive is the bus traffic of the in-process board for a pattern compiled for the coin
/// actuator. Errors are ``FeltError``s, in steps of 20 %. Only the first 20 s of a longer file are
/// compiled. The quotient of two errors near 0 is meaningless, so a tenth of a step is added to
/// both errors. This difference is imperceptible. `feel_over_optimum` is the sum of the errors of
/// all planned drives, divided by the sum of the errors of all best drives;
/// `feel_over_optimum_worst` is the maximum quotient of a single file.
struct FeelFigures {
    /// The errors of a file.
    private struct Entry {
        var name: String
        var ours: FeltError
        var optimum: FeltError
        var ratio: Double { (ours.mean + slack) / (optimum.mean + slack) }
    }

    private static let slack = 0.1
    /// The part of a file that is compared, in microseconds.
    private static let limit: Microseconds = 20_000_000

    static func print() throws {
        guard !SharedFiles.ahap.isEmpty else {
            return note("skipped: the folder of real files is missing (HAPTIC_BRIDGE_SHARED)")
        }
        for configuration in [ActuatorConfiguration.coinLRA, .coinERM] {
            note("searching for the best drives of real files on a coin \(configuration.kind)")
            let entries = try SharedFiles.ahap.compactMap { try entry($0, on: configuration) }
            print(entries, "\(configuration.kind)".lowercased())
        }
    }

    private static func entry(
        _ name: String, on configuration: ActuatorConfiguration
    ) throws -> Entry? {
        guard let whole = try SharedFiles.pattern(name) else { return nil }
        let pattern = HapticPattern(
            events: whole.events.filter { $0.time < limit }, parameters: whole.parameters,
            curves: whole.curves)
        let compiled = HapticCompiler.compile(pattern, profile: DeviceProfile(of: configuration))
        let length = min(compiled.renderedDuration, limit + 1_000_000)
        let drive = try Rehearsal(
            of: compiled.bytes, tick: Int(compiled.tick), length: compiled.renderedDuration,
            on: configuration
        ).drive
        let felt = FeltAcceleration(of: drive, on: configuration, for: length + 500_000)
        let design = FeltDesign(pattern, until: limit)
        return Entry(
            name: name,
            ours: FeltError(of: felt.samples.map { $0 / felt.rated }, against: design),
            optimum: OptimalDrive(for: design, on: configuration).error)
    }

    private static func print(_ entries: [Entry], _ kind: String) {
        let count = Double(max(entries.count, 1))
        let ours = entries.reduce(0) { $0 + $1.ours.mean } / count
        let optimum = entries.reduce(0) { $0 + $1.optimum.mean } / count
        let sorted = entries.sorted { $0.ratio > $1.ratio }
        printFigure("feel_over_optimum_\(kind)", (ours + slack) / (optimum + slack), "ratio")
        printFigure("feel_over_optimum_worst_\(kind)", sorted.first?.ratio ?? 1, "ratio")
        printFigure("feel_error_\(kind)", ours, "steps")
        printFigure("feel_optimum_\(kind)", optimum, "steps")
        for entry in sorted.prefix(10) {
            let (ours, optimum) = (text(entry.ours), text(entry.optimum))
            note("  \(String(format: "%.2f", entry.ratio)) \(entry.name): \(ours) over \(optimum)")
        }
    }

    private static func text(_ error: FeltError) -> String {
        String(
            format: "%.2f (levels %.2f, taps %.2f)", error.mean, error.levels, error.taps)
    }
}
