// Figures of the delay from saving a watched file to the first resulting write.

import Foundation
import SerialPorts
import TestSupport

/// The delay of `bridge play --watch` on the virtual board: the time from the rename that completes
/// an editor's save to the first write to the chip that only the new version can cause.
enum WatchFigures {
    private static let runs = 200

    static func print() throws {
        note("saving a watched file, \(runs) times")
        let board = try MeasuredBoard.virtual()
        let folder = Folder()
        let file = try folder.write("a.ahap", held(0))
        let tool = try RunningTool(
            Tool.executable("bridge"), ["play", "--watch", "--port", board.port, file])
        defer {
            tool.signal(SIGINT)
            _ = tool.outcome()
        }
        guard wait(seconds: 10, until: { tool.output.contains("plays") }) else {
            throw Failure(description: "bridge play --watch: \(tool.errors)")
        }
        var delays: [Double] = []
        for run in 0..<runs {
            // The saves are distributed over all phases of the stream's tick.
            usleep(UInt32(200_000 + run * 370 % 10_000))
            let draft = try folder.write("draft", held(run + 1))
            let saved = Link.now()
            rename(draft, file)
            usleep(100_000)
            delays += board.delay(from: saved, to: Link.now()) { $0 == level(run + 1) }
        }
        if delays.count < runs {
            note("\(runs - delays.count) of \(runs) saves did not reach the chip")
        }
        guard delays.count > runs * 9 / 10 else {
            throw Failure(description: "too few saves reached the chip")
        }
        let deviations = Deviations(delays)
        printFigure("watch_ms_p50", deviations.percentile(0.5), "ms")
        printFigure("watch_ms_p99", deviations.percentile(0.99), "ms")
        printFigure("watch_ms_max", delays.max()!, "ms")
    }

    /// The level in a version of the file. This level differs from the level in the previous
    /// version.
    private static func level(_ version: Int) -> Int { 120 + version * 40 % 130 }

    private static func held(_ version: Int) -> String {
        #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":600,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":\#(Double(level(version)) / 255)}]}}]}
        """#
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }
}
