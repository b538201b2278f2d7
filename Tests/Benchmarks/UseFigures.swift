// Figures of long use: the CPU time of a call after many calls, and the memory that the calls
// occupy.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts
import TestSupport

enum UseFigures {
    /// The number of calls whose CPU time is measured together.
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
        try taps(on: board)
        try edits(on: board)
    }

    private static func compare(_ name: String, _ early: Double, _ late: Double) {
        printFigure("\(name)_us_after_10_players", early, "us")
        printFigure("\(name)_us_after_10000_players", late, "us")
        printFigure("\(name)_ratio", late / early, "times")
    }

    /// Plays taps as quickly as an interactive program does, so that most taps have ended when the
    /// next ones begin.
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
            return taken
        }
        return Deviations(times).percentile(0.5)
    }

    /// The CPU time of this thread, in microseconds.
    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000_000 + Double(time.tv_nsec) / 1_000
    }

    /// The resident memory of this process, in bytes.
    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    // MARK: Open Sound Control

    /// Measures taps by OSC: the CPU time of the process that serves the board, early and late.
    private static func taps(on board: MeasuredBoard) throws {
        note("taps by OSC, 300 per second: CPU time of the process that serves the board")
        let (tool, sender) = try OSCFigures.serve(board)
        defer {
            tool.signal(SIGTERM)
            _ = tool.outcome()
        }
        func tap(_ count: Int) -> Double {
            let begun = tool.processorTime
            for _ in 0..<count {
                sender.send("/haptic/tap", Float(0.5))
                usleep(3_300)
            }
            return (tool.processorTime - begun) / Double(count) * 1_000_000
        }
        _ = tap(10)
        let early = tap(1_500)
        _ = tap(7_000)
        compare("osc_tap", early, tap(1_500))
    }

    // MARK: The studio

    /// Measures edits in the studio that change the drive: the CPU time of its process, early and
    /// late.
    private static func edits(on board: MeasuredBoard) throws {
        note("edits in the studio: CPU time of its process")
        let (tool, page, folder) = try StudioFigures.open(entries: 20, on: board)
        defer {
            tool.signal(SIGTERM)
            _ = tool.outcome()
            withExtendedLifetime(folder) {}
        }
        var revision = 0
        func edit(_ count: Int) throws -> Double {
            let begun = tool.processorTime
            for _ in 0..<count {
                let level = 100 + revision % 100
                guard
                    StudioFigures.edit(
                        page, revision: revision, level: level, index: 0, isLive: false)
                else { throw Failure(description: "bridge studio: \(tool.errors)") }
                revision += 1
                usleep(10_000)
            }
            return (tool.processorTime - begun) / Double(count) * 1_000_000
        }
        _ = try edit(10)
        let early = try edit(500)
        _ = try edit(9_490)
        compare("studio_edit", early, try edit(500))
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
