// Figures for the time that `bridge explain` needs to predict long patterns.

import Foundation

/// The elapsed time of `bridge explain`, for an hour with one tap per second and for two taps
/// that are ten minutes apart.
enum ExplainFigures {
    private static let runs = 3

    static func print() throws {
        let tool = Bundle.main.executableURL!.deletingLastPathComponent()
            .appendingPathComponent("bridge")
        let pattern = FileManager.default.temporaryDirectory
            .appendingPathComponent(
                "haptic-bridge-bench-\(ProcessInfo.processInfo.processIdentifier).ahap")
        defer { try? FileManager.default.removeItem(at: pattern) }
        for (name, times) in [("hour", Array(0..<3_600)), ("sparse", [0, 600])] {
            note("explaining \(times.count) taps in \(times.last!) s, \(runs) times")
            let taps = times.map { #"{"Event":{"EventType":"HapticTransient","Time":\#($0)}}"# }
            try #"{"Pattern":[\#(taps.joined(separator: ","))]}"#
                .write(to: pattern, atomically: true, encoding: .utf8)
            let seconds = try (0..<runs).map { _ in try explain(pattern, by: tool) }.min()!
            printFigure("explain_seconds_\(name)", seconds, "s")
        }
    }

    private static func explain(_ pattern: URL, by tool: URL) throws -> Double {
        let process = Process()
        process.executableURL = tool
        process.arguments = ["explain", "--quiet", pattern.path]
        process.standardOutput = FileHandle.nullDevice
        let time = try ContinuousClock().measure {
            try process.run()
            process.waitUntilExit()
        }
        guard process.terminationStatus == 0 else { throw Failure() }
        return time / .seconds(1)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description = "bridge explain failed"
    }
}
