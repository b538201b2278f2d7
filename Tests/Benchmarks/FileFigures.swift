// Figures of hostile files: the time and the memory that the most expensive files require. Each
// file is measured in a separate process.

import AHAP
import Foundation
import HapticCompiler
import TestSupport

/// Figures for reading, checking and compiling generated files of 16 MB that cause as much work as
/// possible.
enum FileFigures {
    /// The argument that makes a process measure one file. The next argument is the name of the
    /// file.
    static let measuring = "--hostile-file"
    private static let size = 16 << 20

    static func print() throws {
        var (seconds, megabytes) = (0.0, 0.0)
        for file in HostileFile.allCases {
            let cost = try measured(file.rawValue)
            note("file: \(file.rawValue): \(cost.map { String(format: "%.2f", $0) })")
            seconds = max(seconds, cost[0...2].max() ?? 0)
            megabytes = max(megabytes, cost[3])
        }
        printFigure("file_seconds_worst", seconds, "s")
        printFigure("file_mb_worst", megabytes, "MB", decimals: 0)
        let large = try measured(largeFile)
        printFigure("file_ms_10000_events", large[0] * 1_000, "ms", decimals: 0)
        printFigure("file_mb_10000_events", large[1], "MB", decimals: 0)
    }

    /// Measures a file in another process. Returns the times for reading and compiling, for
    /// linting, and for repairing the file, in seconds, and the peak memory in megabytes.
    private static func measured(_ file: String) throws -> [Double] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [measuring, file]
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let cost = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .compactMap {
                Double($0)
            }
        guard process.terminationStatus == 0, cost.count >= 2 else { throw Failure.ended(file) }
        return cost
    }

    private enum Failure: Error { case ended(String) }

    /// Measures one file in this process, and prints the result for ``measured(_:)``.
    static func measure(_ name: String) {
        if name == largeFile { return measureLargeFile() }
        guard let file = HostileFile(rawValue: name) else { exit(64) }
        let bytes = file.bytes(size: size)
        // A rejection also counts as a result, because it must not take longer than reading a
        // pattern.
        let read = seconds {
            if let pattern = try? AHAPReader.read(bytes).pattern {
                _ = HapticCompiler.compile(pattern)
            }
        }
        let linted = seconds { _ = AHAPLinter.lint(bytes) }
        let repaired = seconds { _ = try? AHAPFixer.fix(bytes) }
        Swift.print(read, linted, repaired, megabytes)
    }

    private static let largeFile = "10000-events"

    /// Measures reading a file of 1 MB with 10,000 events and a curve of 10,000 points.
    private static func measureLargeFile() {
        let events = (0..<10_000).map { index in
            #"{"Event":{"EventType":"HapticTransient","Time":\#(Double(index) / 100)}}"#
        }
        let points = (0..<10_000).map { index in
            #"{"Time":\#(Double(index) / 100),"ParameterValue":0.\#(index % 10)}"#
        }
        let curve =
            #"{"ParameterCurve":{"ParameterID":"HapticIntensityControl","Time":0,"#
            + #""ParameterCurveControlPoints":[\#(points.joined(separator: ","))]}}"#
        let bytes = Array(#"{"Pattern":[\#((events + [curve]).joined(separator: ","))]}"#.utf8)
        precondition((900_000...1_100_000).contains(bytes.count))
        let read = seconds { _ = try? AHAPReader.read(bytes) }
        Swift.print(read, megabytes)
    }

    /// Returns the processor time of a task, in seconds. This time does not depend on other
    /// programs.
    private static func seconds(_ work: () -> Void) -> Double {
        let start = clock()
        work()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }

    /// The peak memory of this process, in megabytes.
    private static var megabytes: Double {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return Double(usage.ru_maxrss) / Double(1 << 20)
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return Double(usage.ru_maxrss) / Double(1 << 10)
        #endif
    }
}
