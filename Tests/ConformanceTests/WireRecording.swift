// WireRecording: a recording of a simulated board's bus during a stream, in the format of a logic
// analyzer, and changes to the recording.

import AcceptanceReports
import BridgeLink
import DRV2605
import Foundation
import HapticCompiler
import HapticPatterns
import TestSupport

@testable import bridge

/// A recording of the wires of a bus while a simulated board played the pattern of the step `bus`.
struct WireRecording {
    /// The edges of the two wires, which are initially high.
    private struct Edge {
        var time: Int
        var isData: Bool
        var level: Bool
    }

    private var edges: [Edge] = []
    /// The text of the file before the first edge.
    private let header: Substring
    /// The writes to the chip during playback, according to the trace of the simulator.
    let levels: [CycleTrace.Transaction]
    /// The report with the frames of the stream.
    let report: AcceptanceReport
    let simulator: BoardSimulator

    /// The time unit of the file, in microseconds.
    static let unit = 0.1

    /// Plays the pattern on all actuators of a new board, which has one or several actuators.
    init(
        _ simulator: BoardSimulator, isSeveral: Bool = false,
        taps intensities: [Double] = AcceptanceRun.tapIntensities
    ) throws {
        self.simulator = simulator
        let folder = Folder()
        let file = folder.path("bus.vcd")
        var several = simulator
        if isSeveral { several.image = simulator.severalImage }
        let board = try LockStepBoard(
            several,
            options: ["--vcd", file]
                + (isSeveral ? ["--actuators", "\(simulator.severalActuators)"] : []))
        let rig = try SeveralActuatorsRig(board)
        let compiled = HapticCompiler.compile(
            AcceptanceRun.witnessed(intensities), profile: .reference)
        rig.link.begin(compiled.bytes, on: rig.mask, start: .after(50_000))
        rig.link.run(limit: 10_000_000) { $0.current?.outcome != nil }
        rig.link.run(for: 100_000)
        levels = board.trace.transactions.filter { $0.level != nil }
        report = Self.report(compiled.bytes, rig.mask)
        let text = folder.text("bus.vcd")
        let begin = text.range(
            of: "\"\n", range: text.range(of: "#0\n")!.upperBound..<text.endIndex)!
        header = text[..<begin.upperBound]
        var time = 0
        for line in text[begin.upperBound...].split(separator: "\n") {
            if line.first == "#" {
                time = Int(line.dropFirst())!
            } else {
                edges.append(Edge(time: time, isData: line.last == "\"", level: line.first == "1"))
            }
        }
    }

    /// Returns a report with the frames that a program sends for a stream.
    private static func report(_ bytes: [UInt8], _ mask: ActuatorMask) -> AcceptanceReport {
        var commands: [Command] = [.open(Open(stream: 0, actuators: mask))]
        for part in stride(from: 0, to: bytes.count, by: 48) {
            let portion = Array(bytes[part..<min(part + 48, bytes.count)])
            commands.append(.events(Events(stream: 0, bytes: portion)))
        }
        commands.append(.start(Start(stream: 0, isRelative: true, time: 50_000)))
        let frames = commands.enumerated().map { index, command in
            LoggedFrame(time: 0, .sent, Frame(.command(command), sequence: UInt8(index)))
        }
        var report = AcceptanceReport(
            program: "1.0",
            board: .init(
                kind: 2, name: "board", firmware: "1.0", usb: nil,
                chips: mask.indices.map { _ in 7 },
                configurations: mask.indices.map { _ in .coinLRA }))
        report.record(.init(step: .bus, seconds: 3, checks: [], frames: frames))
        return report
    }

    /// The contents of a logic analyzer's file.
    var text: String {
        var (lines, time) = (String(header), -1)
        for edge in edges {
            if edge.time > time {
                time = edge.time
                lines += "#\(time)\n"
            }
            lines += "\(edge.level ? 1 : 0)\(edge.isData ? "\"" : "!")\n"
        }
        return lines + "#\((edges.last?.time ?? 0) + 100)\n"
    }

    // MARK: Changes

    /// Returns the time of a transfer's STOP condition, in units of the file.
    private func stop(_ transfer: CycleTrace.Transaction) -> Int {
        Int(transfer.stop * 10 / simulator.cyclesPerMicrosecond)
    }

    /// Returns the edges from START to STOP of a transfer.
    private func range(_ transfer: CycleTrace.Transaction) -> Range<Int> {
        let end = edges.lastIndex { $0.time <= stop(transfer) && $0.isData && $0.level }!
        // START is the last falling edge of SDA before STOP at which SCL is high.
        var begin = end
        var clock = true
        while true {
            begin -= 1
            if !edges[begin].isData { clock = !edges[begin].level }
            let isStart = edges[begin].isData && !edges[begin].level && clock
            if isStart, begin < end - 8 { return begin..<end + 1 }
        }
    }

    mutating func remove(_ transfer: CycleTrace.Transaction) {
        edges.removeSubrange(range(transfer))
    }

    /// Delays a transfer. The wires keep their levels until the transfer begins.
    mutating func shift(_ transfer: CycleTrace.Transaction, by microseconds: Int) {
        let range = range(transfer)
        let moved = edges[range].map { edge in
            Edge(time: edge.time + microseconds * 10, isData: edge.isData, level: edge.level)
        }
        edges.removeSubrange(range)
        let place = edges.firstIndex { $0.time > moved[0].time } ?? edges.endIndex
        edges.insert(contentsOf: moved, at: place)
    }

    /// Inverts the last bit of the value that a transfer writes.
    mutating func invertLastBit(_ transfer: CycleTrace.Transaction) {
        let range = range(transfer)
        // SCL falls once after START, then rises and falls once for each of 27 bits.
        let clock = range.filter { !edges[$0].isData }
        let (begin, end) = (edges[clock[50]].time + 1, edges[clock[52]].time + 1)
        func level(at time: Int) -> Bool {
            edges[range].last { $0.isData && $0.time <= time + 4 }!.level
        }
        let (bit, next) = (!level(at: begin), level(at: end))
        let before = edges[range].last { $0.isData && $0.time < begin }!.level
        var kept = edges[range].filter { !$0.isData || !(begin..<end + 5).contains($0.time) }
        if bit != before { kept.append(Edge(time: begin, isData: true, level: bit)) }
        if next != bit { kept.append(Edge(time: end, isData: true, level: next)) }
        edges.replaceSubrange(range, with: kept.sorted { $0.time < $1.time })
    }

    /// Slows the analyzer's clock by a number of parts per million, and delays the beginning of the
    /// recording.
    mutating func record(slowBy ppm: Double, after units: Int) {
        for index in edges.indices {
            edges[index].time = Int(Double(edges[index].time - units) * (1 - ppm / 1e6))
        }
        edges.removeAll { $0.time <= 0 }
        // Recording begins between two transfers, when both wires are high.
    }
}
