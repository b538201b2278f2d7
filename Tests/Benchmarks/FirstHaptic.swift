// Figures of the time from the start of the tool to the first write that drives the actuator.

import BridgeLink
import Foundation
import SerialPorts

/// The delay of `bridge play --virtual` with a tap at time 0, over many runs.
///
/// The virtual board has the delays of a real board: 250 µs after power-up, 5 ms for the chip's
/// reset, and 250,000 baud on the line. Only the startup time of a real board and the USB delays
/// are excluded.
enum FirstHaptic {
    private static let runs = 20

    static func print() throws {
        let tool = Bundle.main.executableURL!.deletingLastPathComponent()
            .appendingPathComponent("bridge")
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(
                "haptic-bridge-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pattern = folder.appendingPathComponent("tap.ahap")
        try tap.write(to: pattern, atomically: true, encoding: .utf8)
        note("starting \(tool.lastPathComponent) \(runs) times")
        let times = try (0..<runs).map { _ in try measure(tool, pattern, in: folder) }.sorted()
        printFigure("first_haptic_ms", times[runs / 2], "ms")
        printFigure("first_haptic_ms_max", times[runs - 1], "ms")
    }

    private static let tap = """
        {"Pattern": [{"Event": {"Time": 0, "EventType": "HapticTransient", "EventParameters": [
        {"ParameterID": "HapticIntensity", "ParameterValue": 1}]}}]}
        """

    /// Starts the tool. Returns the number of milliseconds from the start of the process to the
    /// first write on the bus that drives the actuator.
    private static func measure(_ tool: URL, _ pattern: URL, in folder: URL) throws -> Double {
        let trace = folder.appendingPathComponent("trace.txt")
        let process = Process()
        process.executableURL = tool
        process.arguments = ["play", "--virtual", "--quiet", "--trace", trace.path, pattern.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let start = Link.now()
        try process.run()
        process.waitUntilExit()
        let text = try String(contentsOf: trace, encoding: .utf8)
        guard process.terminationStatus == 0, let write = firstDrivingWrite(in: text) else {
            throw Failure(description: "\(tool.path) did not play: \(process.terminationStatus)")
        }
        return Double(write - start) / 1_000
    }

    /// Returns the time of the first write that drives the actuator. Each line of the trace
    /// contains a time in host microseconds and the bytes of a transaction.
    private static func firstDrivingWrite(in trace: String) -> HostTime? {
        for line in trace.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2, fields[1].hasPrefix("b402"), fields[1].count == 6,
                fields[1] != "b40200"
            {
                return Int64(fields[0]).map(HostTime.init(microseconds:))
            }
        }
        return nil
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }
}
