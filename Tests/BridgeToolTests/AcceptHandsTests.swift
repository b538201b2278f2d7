// Tests of the step `hands` of bridge accept, in which a person disturbs the board.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import AcceptanceReports
@testable import bridge

@Suite(.virtualTool) struct AcceptHandsTests {
    private let folder = Folder()
    private var report: String { folder.path("report.json") }

    private func hands(_ board: LiveBoard, answers: String) throws -> RunningTool {
        try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port, "--only", "hands"],
            typed: answers.map { "\($0)\n" }.joined())
    }

    /// Returns the configuration of the actuator, as text.
    private func shown(_ board: LiveBoard) throws -> String {
        try Tool.bridge("actuator", "show", "--port", board.port).output
    }

    private func checks() throws -> [AcceptanceCheck] {
        try #require(try AcceptanceReport(path: report).ended(.hands)).checks
    }

    /// Disturbs the board when the program requests it, after the board has vibrated or saved for a
    /// random time.
    @Test(arguments: 0..<5) func whateverAPersonDoesTheBoardComesBackAtRest(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let board = try LiveBoard()
        let before = try shown(board)
        let tool = try hands(board, answers: "yyyyyyy")
        func awaitRequest(_ words: String) {
            #expect(wait { tool.errors.contains(words) })
            pause(.random(in: 300_000...5_000_000, using: &random))
        }
        func replug() {
            board.plug(false)
            pause(.random(in: 100_000...3_000_000, using: &random))
            #expect(board.isAtRest)
            board.plug(true)
        }
        awaitRequest("pull the USB cable")
        replug()
        awaitRequest("press the reset button")
        board.reset()
        awaitRequest("suspend this computer")
        tool.signal(SIGSTOP)
        pause(10_000_000)
        #expect(board.isAtRest)
        tool.signal(SIGCONT)
        awaitRequest("cut its power")
        replug()
        let outcome = tool.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try checks().map(\.verdict) == [.passed, .passed, .passed, .passed])
        #expect(try shown(board) == before)
    }

    @Test func aVibrationThatDoesNotEndFails() throws {
        let board = try LiveBoard()
        let tool = try hands(board, answers: "nynnn")
        #expect(wait { tool.errors.contains("press the reset button") })
        pause(1_000_000)
        board.reset()
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(try checks().map(\.verdict) == [.skipped, .failed, .skipped, .skipped])
        #expect(outcome.output.contains("the vibration did not end, or began again"))
    }

    @Test func aPersonWhoDoesNothingIsNotWaitedForWithoutEnd() throws {
        let board = try LiveBoard()
        let outcome = try hands(board, answers: "nyny").outcome()
        #expect(outcome.status == 75, "\(outcome)")
        #expect(outcome.errors.contains("every check was skipped"), "\(outcome)")
        #expect(try checks().filter { $0.note == "nothing has happened within 20 s" }.count == 2)
        #expect(board.isAtRest)
    }

    @Test func ctrlCWhileTheBoardStoresKeepsItsConfiguration() throws {
        for delay in stride(from: 1_000_000, through: 2_000_000, by: 50_000) {
            let board = try LiveBoard()
            let before = try shown(board)
            let tool = try hands(board, answers: "nnny")
            #expect(wait { tool.errors.contains("cut its power") })
            pause(Microseconds(delay))
            tool.signal(SIGINT)
            let outcome = tool.outcome()
            #expect(outcome.wasEnded(by: SIGINT), "\(outcome)")
            #expect(outcome.output.contains("interrupted"), "\(outcome)")
            pause(500_000)
            #expect(try shown(board) == before)
            try FileManager.default.removeItem(atPath: report)
        }
    }

    @Test func aBoardThatIsNotConnectedAgainFailsTheCheckOfTheCable() throws {
        let board = try LiveBoard()
        let tool = try hands(board, answers: "yynnn")
        #expect(wait { board.level > 0 })
        board.plug(false)
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(
            try checks().first?.note == "the board was not connected again within two minutes")
    }

    @Test func anotherBoardThatIsConnectedInsteadKeepsItsConfiguration() throws {
        let (board, other) = (try LiveBoard(), try LiveBoard("--id", "fedcba9876543210"))
        let set = try Tool.bridge("actuator", "set", "--name", "other", "--port", other.port)
        try #require(set.status == 0, "\(set)")
        let before = try shown(other)
        let port = folder.path("port")
        try FileManager.default.createSymbolicLink(
            atPath: port, withDestinationPath: board.port)
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["accept", report, "--port", port, "--only", "hands", "--only", "rest"],
            typed: "n\nn\nn\ny\n")
        #expect(wait { tool.errors.contains("cut its power") })
        pause(1_000_000)
        try FileManager.default.removeItem(atPath: port)
        try FileManager.default.createSymbolicLink(
            atPath: port, withDestinationPath: other.port)
        board.end()
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.output.contains("another board was connected"), "\(outcome)")
        #expect(try shown(other) == before)
        // The steps that follow do not test the other board.
        #expect(outcome.errors.contains("the tested board does not answer"), "\(outcome)")
        #expect(!outcome.errors.contains("rest: ") && !other.hasDriven)
    }

    @Test func withoutAClearAnswerTheCheckIsSkipped() throws {
        let board = try LiveBoard()
        let tool = try hands(board, answers: "y???nnn")
        #expect(wait { board.level > 0 })
        board.plug(false)
        #expect(wait { tool.errors.contains("Connect the board again") })
        board.plug(true)
        let outcome = tool.outcome()
        #expect(outcome.status == 75, "\(outcome)")
        #expect(try checks().first?.note == "there was no clear answer")
    }

    /// The tool ends within half a second, the time that it allows for a stop. The earlier checks
    /// of the step remain in the report.
    @Test func ctrlCWhileTheBoardIsNotConnectedKeepsTheEarlierChecks() throws {
        let board = try LiveBoard()
        let tool = try hands(board, answers: "nnny")
        #expect(wait { tool.errors.contains("cut its power") })
        pause(1_000_000)
        board.plug(false)
        #expect(wait { tool.errors.contains("Connect the board again") })
        pause(1_000_000)
        tool.signal(SIGINT)
        let begun = Link.now()
        #expect(tool.outcome().wasEnded(by: SIGINT))
        #expect(Link.now() - begun < 500_000)
        let step = try #require(try AcceptanceReport(path: report).steps.first)
        #expect(
            step.checks.map(\.verdict)
                == [.skipped, .skipped, .skipped, .interrupted, .interrupted])
        #expect(step.checks[3].advice.first?.contains("bridge calibrate") == true)
    }

    @Test func theStepIsNotReplayed() throws {
        let replay = try Tool.bridge("accept", "replay", "report.json", "--only", "hands")
        #expect(replay.status != 0 && replay.errors.contains("cannot be replayed"), "\(replay)")
    }
}
