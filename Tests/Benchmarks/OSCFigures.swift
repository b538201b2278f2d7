// Figures for the delay from an Open Sound Control message to the drive, and for the timing error
// of bundles, on a virtual board served by `bridge serve --osc`.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport

enum OSCFigures {
    private static let runs = 300

    static func print() throws {
        let board = try MeasuredBoard.virtual()
        let (tool, sender) = try serve(board)
        defer {
            tool.signal(SIGTERM)
            _ = tool.outcome()
        }
        try messages(sender, board)
        let error = bundles(sender, board)
        tool.signal(SIGTERM)
        bounds(tool.outcome().output, error)
    }

    /// Starts `bridge serve --osc` for a board, and creates a sender for this service.
    static func serve(_ board: MeasuredBoard) throws -> (tool: RunningTool, sender: MessageSender) {
        let tool = try RunningTool(
            Tool.executable("bridge"), ["serve", "--osc", "0", "--json", "--port", board.port])
        guard wait(seconds: 10, until: { tool.output.contains("127.0.0.1:") }) else {
            tool.signal(SIGTERM)
            throw Failure(description: "bridge serve --osc: \(tool.errors)")
        }
        let digits = tool.output.components(separatedBy: "127.0.0.1:")[1].prefix { $0.isNumber }
        return (tool, MessageSender(port: Int(digits)!))
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Measures the delay from a message to the bus while a level is held.
    private static func messages(_ sender: MessageSender, _ board: MeasuredBoard) throws {
        note("levels by OSC, \(runs) times")
        sender.send("/haptic/level", 1)
        usleep(300_000)
        var delays: [Double] = []
        for run in 0..<runs {
            let value = 0.5 + 0.4 * Double(run % 2)
            let start = Link.now()
            sender.send("/haptic/level", Float(value))
            usleep(UInt32(30_000 + run * 370 % 10_000))
            delays += board.delay(from: start, to: Link.now()) {
                $0 == Int((value * 255).rounded())
            }
        }
        if delays.count < runs {
            note("osc: \(runs - delays.count) of \(runs) levels did not reach the chip")
        }
        let deviations = Deviations(delays)
        printFigure("osc_ms_p50", deviations.percentile(0.5), "ms")
        printFigure("osc_ms_p99", deviations.percentile(0.99), "ms")
    }

    /// Sends levels in timed bundles. Returns the maximum deviation on the bus from the times of
    /// the bundles, in milliseconds.
    private static func bundles(_ sender: MessageSender, _ board: MeasuredBoard) -> Double {
        note("levels by OSC in bundles with a time tag 50 ms ahead")
        var errors: [Double] = []
        for run in 0..<runs {
            let value = 0.5 + 0.4 * Double(run % 2)
            let (start, date) = moment()
            sender.send("/haptic/level", Float(value), in: 0.05, of: date)
            usleep(UInt32(80_000 + run * 370 % 10_000))
            errors += board.delay(from: start, to: Link.now()) {
                $0 == Int((value * 255).rounded())
            }.map { abs($0 - 50) }
        }
        if errors.count < runs {
            note("osc: \(runs - errors.count) of \(runs) levels did not reach the chip")
        }
        let deviations = Deviations(errors)
        printFigure("osc_bundle_error_ms_p50", deviations.percentile(0.5), "ms")
        printFigure("osc_bundle_error_ms_p99", deviations.percentile(0.99), "ms")
        return deviations.percentile(1)
    }

    /// Returns the current time on both clocks. The two readings are within
    /// a few microseconds of each other.
    private static func moment() -> (host: HostTime, date: Date) {
        while true {
            let before = Link.now()
            let date = Date()
            let after = Link.now()
            if after - before <= 5 { return (before, date) }
        }
    }

    /// Prints the error bounds that the tool reported when it ended, and the error that must lie
    /// within the bounds.
    private static func bounds(_ output: String, _ error: Double) {
        for (key, figure) in [
            ("clock_bound_us", "osc_clock_bound_ms"), ("bundle_bound_us", "osc_bundle_bound_ms"),
        ] {
            guard let text = output.components(separatedBy: "\"\(key)\":").dropFirst().first else {
                note("bridge serve: \(key) is missing from the output")
                continue
            }
            printFigure(figure, (Double(text.prefix(while: \.isNumber)) ?? 0) / 1_000, "ms")
        }
        printFigure("osc_bundle_error_ms_max", error, "ms")
    }
}
