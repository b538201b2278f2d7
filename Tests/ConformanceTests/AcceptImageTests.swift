// Tests of `bridge accept` in virtual time, with the firmware images of the simulated boards.

import AcceptanceReports
import BridgeLink
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

    /// Starts the board, and configures its actuators.
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

    /// Checks that taps with gaps of 0.6 ms do not wait for the checks of several chips, for any
    /// phase between the taps and the checks.
    @Test(arguments: AcceptedBoard.all.filter(\.hasSeveral), Proof.thinned(0..<24, every: 6))
    func tapsDoNotWaitForTheChecksOfChips(_ board: AcceptedBoard, phase: Int) throws {
        let live = try board.start()
        pause(Microseconds(phase) * 7_310)
        let outcome = try accept(live, "--only", "events")
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// A board reports the maximum lateness since its start, so an earlier write must not fail the
    /// check of the taps.
    @Test(arguments: ConformanceBoard.lockStep)
    func theLatenessOfAnEarlierPlaybackIsNotThatOfTheTaps(_ board: ConformanceBoard) throws {
        let live = try AcceptedBoard(board: board, hasSeveral: false).start()
        for pattern in ["heartbeat", "success", "heartbeat"] {
            let play = try Tool.bridge("play", pattern, "--port", live.port)
            #expect(play.status == 0, "\(play)")
        }
        let outcome = try accept(live, "--only", "events")
        #expect(outcome.status == 0, "\(outcome)")
    }

    // MARK: The image in the program memory

    /// A change of one byte that no instruction reads: in the vector of an unused interrupt, or in
    /// the reserved byte of the pins.
    private static func changed(_ board: ConformanceBoard) throws -> (image: [UInt8], byte: Int) {
        var image = [UInt8](try Data(contentsOf: board.simulator!.image))
        if board == .simulatedPico {
            image[2 * 512 + 32 + 19] ^= 1
            return (image, 0x200 + 19)
        }
        // The first record of the HEX file: 4 bytes before the data, 16 bytes of data, and the
        // checksum.
        var record = try #require([UInt8](hexadecimal: image[1..<43]))
        record[4 + 7] ^= 1
        record[20] = 0 &- record.dropLast().reduce(0, &+)
        image.replaceSubrange(1..<43, with: record.hexadecimal.uppercased().utf8)
        return (image, 7)
    }

    @Test func anImageThatDiffersByOneByteIsFound() throws {
        for board in ConformanceBoard.lockStep where board.simulator!.runsImage {
            let (image, byte) = try Self.changed(board)
            var simulator = board.simulator!
            simulator.image = URL(
                fileURLWithPath: folder.path("changed.\(simulator.image.pathExtension)"))
            try Data(image).write(to: simulator.image)
            let outcome = try accept(LiveBoard(simulator), "--only", "identity")
            #expect(outcome.status == 76, "\(outcome)")
            let words = "differs from the one in this program, first at byte \(byte)"
            #expect(outcome.output.contains(words), "\(outcome.output)")
            try FileManager.default.removeItem(atPath: report)
        }
    }

    // MARK: Defects that can be found only with firmware and a bus

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
            #expect(outcome.output.contains("oscillator of the board deviates") == (status != 0))
            try FileManager.default.removeItem(atPath: report)
        }
    }
}
