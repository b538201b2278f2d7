// Figures of the delay from dragging a point in the studio to the first resulting write and to the
// answer to the page.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport

/// The delays of `bridge studio` on the virtual board while a level is dragged: the time from a
/// message of the page to the first write to the chip that only this message can cause.
enum StudioFigures {
    private static let runs = 300
    /// The number of entries in the largest known real file, whose size is 2.5 MB.
    private static let largest = 4_488

    static func print() throws {
        try drag("studio", entries: 1)
        try drag("studio_large", entries: largest)
    }

    private static func drag(_ name: String, entries: Int) throws {
        note("dragging a level in a file of \(entries) entries, \(runs) times")
        let board = try MeasuredBoard.virtual()
        let (tool, page, folder) = try open(entries: entries, on: board)
        defer {
            tool.signal(SIGTERM)
            _ = tool.outcome()
            withExtendedLifetime(folder) {}
        }
        guard page.next("board", where: { $0["felt"] as? Bool == true }) != nil,
            page.next("prediction") != nil
        else { throw Failure(description: "bridge studio: \(tool.errors)") }
        let (answers, delays) = try edits(page, board, index: entries / 2)
        for (figure, values) in [("drag", delays), ("ack", answers)] {
            let deviations = Deviations(values)
            printFigure("\(name)_\(figure)_ms_p50", deviations.percentile(0.5), "ms")
            printFigure("\(name)_\(figure)_ms_p99", deviations.percentile(0.99), "ms")
        }
    }

    /// Opens a file with a number of entries in a studio that plays on a board.
    static func open(
        entries: Int, on board: MeasuredBoard
    ) throws -> (tool: RunningTool, page: PageClient, folder: Folder) {
        let folder = Folder()
        let path = try folder.write("a.ahap", text(entries))
        let tool = try RunningTool(
            Tool.executable("bridge"), ["studio", "--no-browser", "--port", board.port, path])
        guard wait(seconds: 10, until: { tool.output.contains("\n") }) else {
            throw Failure(description: "bridge studio: \(tool.errors)")
        }
        return (tool, try PageClient(tool.output.trimmingCharacters(in: .newlines)), folder)
    }

    /// Sends an edit that changes the level of an entry. Returns true if the studio answers.
    static func edit(
        _ page: PageClient, revision: Int, level: Int, index: Int, isLive: Bool
    ) -> Bool {
        page.send(
            #"{"type":"edit","revision":\#(revision),"live":\#(isLive),"edits":[{"op":"replace","#
                + #""value":\#(Double(level) / 255),"#
                + #""path":"/Pattern/\#(index)/Event/EventParameters/0/ParameterValue"}]}"#)
        return page.next("ack", where: { $0["revision"] as? Int == revision + 1 }) != nil
    }

    /// Drags a level. Returns the times, in milliseconds, until the answers and until the writes to
    /// the chip.
    private static func edits(
        _ page: PageClient, _ board: MeasuredBoard, index: Int
    ) throws -> (answers: [Double], delays: [Double]) {
        var (answers, delays): ([Double], [Double]) = ([], [])
        for run in 0..<runs {
            let level = 120 + run * 40 % 130
            // The edits are distributed over all phases of the stream's tick.
            usleep(UInt32(20_000 + run * 370 % 10_000))
            let sent = Link.now()
            guard edit(page, revision: run, level: level, index: index, isLive: true) else {
                throw Failure(description: "bridge studio: an edit is not answered")
            }
            answers.append(Double(Link.now() - sent) / 1_000)
            usleep(60_000)
            delays += board.delay(from: sent, to: Link.now()) { $0 == level }
        }
        if delays.count < runs {
            note("\(runs - delays.count) of \(runs) edits did not reach the chip")
        }
        guard delays.count > runs * 9 / 10 else {
            throw Failure(description: "too few edits reached the chip")
        }
        return (answers, delays)
    }

    /// Returns a file with a level of eight seconds as its middle entry, between short and weak
    /// entries.
    private static func text(_ entries: Int) -> String {
        let events = (0..<entries).map { index in
            event(
                time: Double(index) * 0.05, duration: index == entries / 2 ? 8 : 0.02,
                intensity: index == entries / 2 ? 0.5 : 0.1)
        }
        return
            "{\n  \"Version\": 1.0,\n  \"Pattern\": [\n\(events.joined(separator: ",\n"))\n  ]\n}\n"
    }

    private static func event(time: Double, duration: Double, intensity: Double) -> String {
        """
                {
                    "Event": {
                        "Time": \(time),
                        "EventType": "HapticContinuous",
                        "EventDuration": \(duration),
                        "EventParameters": [
                            {
                                "ParameterID": "HapticIntensity",
                                "ParameterValue": \(intensity)
                            },
                            {
                                "ParameterID": "HapticSharpness",
                                "ParameterValue": 0.8063707350204304
                            }
                        ]
                    }
                }
        """
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }
}
