// bridge accept on the firmware images of the simulated boards, in virtual time.

import AcceptanceReports
import Foundation
import SerialPorts
import TestSupport
import Testing
import ToolSupport

@testable import bridge

/// A simulated board with one actuator or with several.
struct AcceptedBoard: CustomTestStringConvertible {
    var board: ConformanceBoard
    var hasSeveral: Bool
    var testDescription: String { "\(board)\(hasSeveral ? ", several actuators" : "")" }

    static let all = ConformanceBoard.lockStep.flatMap { board in
        [false, true].map { AcceptedBoard(board: board, hasSeveral: $0) }
    }

    /// Starts the board, whose actuators are configured.
    func start(ppm: Int = 0) throws -> LiveBoard {
        let simulator = board.simulator!
        let live =
            hasSeveral
            ? LiveBoard(
                simulator.withSeveralImage, options: simulator.severalOptions, ppm: ppm)
            : LiveBoard(simulator, ppm: ppm)
        for actuator in 0..<(hasSeveral ? simulator.severalActuators : 1) {
            let set = try Tool.bridge(
                "actuator", "set", "VG1040003D", "--actuator", "\(actuator)", "--port", live.port)
            try #require(set.status == 0, "\(set)")
        }
        return live
    }
}

@Suite(.virtualTime) struct AcceptImageTests {
    private let folder = Folder()
    private var report: String { folder.path("report.json") }

    init() {
        VirtualProgram.register(
            "bridge", .init(run: { Bridge.run($0) }, signal: { Interruption.record($0) }))
    }

    private func accept(_ board: LiveBoard, _ options: String...) throws -> Outcome {
        try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port] + options
        ).outcome()
    }

    /// The maximum duration of an unattended test.
    private static let duration = 360.0

    @Test(arguments: AcceptedBoard.all)
    func aHealthyBoardPassesUnattendedAndItsReportReplays(_ board: AcceptedBoard) throws {
        let outcome = try accept(try board.start(), "--simulated-person")
        #expect(outcome.status == 0, "\(outcome)")
        let seconds = try AcceptanceReport(path: report).steps.map(\.seconds).reduce(0, +)
        #expect(seconds < Self.duration)
        let other = try board.start()
        let replay = try Tool.bridge("accept", "replay", report, "--port", other.port)
        #expect(replay.status == 0, "\(replay)")
    }

    // MARK: Defects that only firmware with a bus can find

    static let defects: [(fault: ChipFault, step: AcceptanceStep, words: String)] = [
        (.weakPullUps(true), .identity, "the edges on the bus are too slow"),
        (.swappedWires(true), .identity, "SDA and SCL are swapped at the driver"),
        (.enable(.low), .identity, "its EN pin is not connected"),
        (.enable(.high), .actuator, "EN is tied high"),
    ]

    @Test(arguments: ConformanceBoard.lockStep, defects.indices)
    func aDefectOfTheWiresIsNamed(_ board: ConformanceBoard, index: Int) throws {
        let defect = Self.defects[index]
        let live = try AcceptedBoard(board: board, hasSeveral: false).start()
        live.chip(defect.fault)
        pause(1_000)
        live.reset()
        pause(2_000_000)
        let outcome = try accept(live, "--only", defect.step.rawValue)
        #expect(outcome.status == 81, "\(outcome)")
        let text = outcome.output.split(separator: "\n").drop { !$0.contains("failed") }
        #expect(text.joined(separator: "\n").contains(defect.words), "\(outcome.output)")
    }

    @Test(arguments: ConformanceBoard.lockStep)
    func theClockOfABoardIsJudgedByItsDrift(_ board: ConformanceBoard) throws {
        for (ppm, status) in [(1_000, 0), (-1_000, 0), (4_000, 74), (-4_000, 74)] as [(Int, Int32)]
        {
            let live = try AcceptedBoard(board: board, hasSeveral: false).start(ppm: ppm)
            let outcome = try accept(live, "--only", "clock")
            #expect(outcome.status == status, "\(ppm): \(outcome)")
            #expect(outcome.output.contains("oscillator of the board is off") == (status != 0))
            try FileManager.default.removeItem(atPath: report)
        }
    }
}
