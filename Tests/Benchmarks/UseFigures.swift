// Figures of long use: the CPU time of a call after many previous calls, and the memory that the
// previous calls occupy.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts
import TestSupport

enum UseFigures {
    /// The number of calls in a sample of CPU times.
    private static let sample = 400

    static func print() throws {
        let board = try MeasuredBoard.virtual()
        let engine = CHHapticEngine(device: .port(board.port))
        try engine.start()
        note("taps, each by a new player, on the virtual board: CPU time of the calling thread")
        let tap = try CHHapticPattern.tap()
        let one = { try engine.makePlayer(with: tap).start(atTime: CHHapticTimeImmediate) }
        let look = { _ = engine.output(atTime: engine.currentTime) }
        try play(10, one)
        let early = (call: try cost(one), output: try cost(look))
        try play(1_000, one)
        let memory = residentBytes()
        try play(9_000, one)
        let late = (call: try cost(one), output: try cost(look))
        compare("engine_call", early.call, late.call)
        compare("engine_output", early.output, late.output)
        try play(90_000, one)
        printFigure("engine_rss_growth_100000_taps", residentBytes() - memory, "bytes")
        engine.stopAndWait()
        try taps()
        try edits()
    }

    private static func compare(_ name: String, _ early: Double, _ late: Double) {
        printFigure("\(name)_us_after_10_players", early, "us")
        printFigure("\(name)_us_after_10000_players", late, "us")
        printFigure("\(name)_ratio", late / early, "times")
    }

    /// Plays taps as quickly as an interactive program does, so that most taps have ended when the
    /// next taps begin.
    private static func play(_ count: Int, _ one: () throws -> Void) throws {
        for number in 0..<count {
            try one()
            if number % 8 == 0 { usleep(2_000) }
        }
    }

    /// Returns the median CPU time of a call, in microseconds.
    private static func cost(_ call: () throws -> Void) throws -> Double {
        usleep(200_000)
        let times = try (0..<sample).map { _ in
            let begun = threadTime()
            try call()
            let taken = threadTime() - begun
            usleep(500)
            return taken * 1_000_000
        }
        return Deviations(times).percentile(0.5)
    }

    /// The resident memory of this process, in bytes.
    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    // MARK: Other processes

    /// Alternately measures a process that has been used 10,000 times and a process that has just
    /// started, so that both are measured at the same speed of the computer. Each figure is the
    /// median of these measurements.
    ///
    /// - Parameters:
    ///   - count: the number of uses in each measurement.
    ///   - use: a closure that uses a process a number of times.
    private static func compareAges(
        _ name: String, of uses: (aged: Use, fresh: Use), count: Int, _ turns: Int = 11
    ) throws {
        _ = try (uses.fresh(10), uses.aged(9_990))
        var times: [(early: Double, late: Double)] = []
        for _ in 0..<turns { times.append((try uses.fresh(count), try uses.aged(count))) }
        let median = { (values: [Double]) in Deviations(values).percentile(0.5) }
        printFigure("\(name)_us_after_10_players", median(times.map(\.early)), "us")
        printFigure("\(name)_us_after_10000_players", median(times.map(\.late)), "us")
        printFigure("\(name)_ratio", median(times.map { $0.late / $0.early }), "times")
    }

    /// Uses a process a number of times, and returns its CPU time for each use, in microseconds.
    private typealias Use = (_ count: Int) throws -> Double

    /// Returns the CPU time of a process for each of `count` calls of a closure, in microseconds.
    private static func cost(
        of count: Int, in tool: RunningTool, _ one: () throws -> Void
    ) rethrows -> Double {
        let begun = tool.processorTime
        for _ in 0..<count { try one() }
        return (tool.processorTime - begun) / Double(count) * 1_000_000
    }

    private static func end(_ tool: RunningTool) {
        tool.signal(SIGTERM)
        _ = tool.outcome()
    }

    /// Measures the CPU time of the process that serves the board during taps by OSC.
    private static func taps() throws {
        note("taps by OSC, 300 per second: CPU time of the process that serves the board")
        let boards = try (MeasuredBoard.virtual(), MeasuredBoard.virtual())
        let (aged, fresh) = try (OSCFigures.serve(boards.0), OSCFigures.serve(boards.1))
        defer {
            end(aged.tool)
            end(fresh.tool)
        }
        func use(_ served: (tool: RunningTool, sender: MessageSender)) -> Use {
            { count in
                cost(of: count, in: served.tool) {
                    served.sender.send("/haptic/tap", Float(0.5))
                    usleep(3_300)
                }
            }
        }
        try compareAges("osc_tap", of: (use(aged), use(fresh)), count: 300)
    }

    // MARK: The studio

    /// Measures the CPU time of the studio's process during edits that change the drive.
    private static func edits() throws {
        note("edits in the studio: CPU time of its process")
        let boards = try (MeasuredBoard.virtual(), MeasuredBoard.virtual())
        let aged = try StudioFigures.open(entries: 20, on: boards.0)
        let fresh = try StudioFigures.open(entries: 20, on: boards.1)
        defer {
            end(aged.tool)
            end(fresh.tool)
            withExtendedLifetime((aged.folder, fresh.folder)) {}
        }
        func use(_ tool: RunningTool, _ page: PageClient) -> Use {
            var revision = 0
            return { count in
                try cost(of: count, in: tool) {
                    guard
                        StudioFigures.edit(
                            page, revision: revision, level: 100 + revision % 100, index: 0,
                            isLive: false)
                    else { throw Failure(description: "bridge studio: \(tool.errors)") }
                    revision += 1
                    usleep(10_000)
                }
            }
        }
        try compareAges(
            "studio_edit", of: (use(aged.tool, aged.page), use(fresh.tool, fresh.page)), count: 100)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

extension CHHapticPattern {
    fileprivate static func tap() throws -> CHHapticPattern {
        let event = CHHapticEvent(eventType: .hapticTransient, parameters: [], relativeTime: 0)
        return try CHHapticPattern(events: [event], parameters: [])
    }
}
