// Tests of `bridge accept` on a healthy board, of its report, and of the replay of the report.

import BridgeLink
import Foundation
import JSONText
import SerialPorts
import TestSupport
import Testing

@testable import AcceptanceReports
@testable import bridge

@Suite(.virtualTool) struct AcceptTests: AcceptSuite {
    let folder = Folder()

    @Test func aHealthyBoardPassesAndItsReportReplaysWithoutADifference() throws {
        let outcome = try accept(try LiveBoard(), "--simulated-person")
        #expect(outcome.status == 0, "\(outcome)")
        let steps = try AcceptanceReport(path: report).steps
        #expect(steps.map(\.step) == AcceptanceStep.usual)
        #expect(steps.dropLast().allSatisfy { $0.verdict == .passed }, "\(outcome.output)")
        let other = try LiveBoard()
        let replay = try Tool.bridge("accept", "replay", report, "--port", other.port)
        #expect(replay.status == 0, "\(replay)")
    }

    @Test func aReportNamesNoSerialNumberAndNoComputer() throws {
        let board = try LiveBoard("--id", "fedcba9876543210")
        #expect(try accept(board, "--only", "identity").status == 0)
        let text = try String(contentsOfFile: report, encoding: .utf8)
        for secret in ["fedcba98", "1032547698badcfe", board.port, folder.url.path] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test func theReplayNamesTheFirstDifference() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "actuator").status == 0)
        let other = try LiveBoard()
        other.chip(.diagnostics(.open))
        let outcome = try Tool.bridge("accept", "replay", report, "--port", other.port)
        #expect(outcome.status == 65, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "ACTUATOR 0, diagnosis: the report has passed, this board failed"), "\(outcome)")
    }

    @Test func eachStepReplaysByItself() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--simulated-person").status == 0)
        for step in AcceptanceStep.usual where step != .hands {
            let other = try LiveBoard()
            let outcome = try Tool.bridge(
                "accept", "replay", report, "--port", other.port, "--only", step.rawValue)
            #expect(outcome.status == 0, "\(step): \(outcome)")
        }
    }

    /// The recorded frames that drive the actuator are due after the signal, so the replay must not
    /// send them.
    @Test func anInterruptedReplaySendsNothingMore() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "rest").status == 0)
        var contents = try AcceptanceReport(path: report)
        contents.steps[0].frames = contents.steps[0].frames.map { frame in
            LoggedFrame(
                time: frame.frame.type == .hello ? 0 : frame.time + 5_000_000, frame.direction,
                frame.frame)
        }
        try contents.write(to: report)
        let other = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", "replay", report, "--port", other.port])
        pause(2_000_000)
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
        #expect(!other.hasDriven && other.isAtRest)
    }

    /// The numbers and texts in an untrusted report must neither crash the program nor forge its
    /// output.
    @Test func aHostileReportIsPrintedWithoutHarm() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--simulated-person").status == 0)
        var contents = try AcceptanceReport(path: report)
        contents.steps[0].seconds = 86_400
        contents.steps[0].checks[0].name = "x\nverdict: passed\u{1B}[31m"
        contents.steps[0].checks[0].note = String(repeating: "n", count: 1_000_000)
        try contents.write(to: report)
        let outcome = try accept(board)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            !outcome.output.contains("\nverdict: passed\u{1B}")
                && !outcome.output.contains("\u{1B}"))
        #expect(outcome.output.count < 10_000)
    }

    /// The answers to the frames of a hostile report can take longer than the next session waits.
    @Test func aReplayThatOverloadsTheBoardIsNamed() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "identity").status == 0)
        var contents = try AcceptanceReport(path: report)
        let query = try #require(LoggedFrame("3000 > 2001"))
        contents.steps[0].frames =
            Array(contents.steps[0].frames.prefix(1)) + Array(repeating: query, count: 20_000)
        try contents.write(to: report)
        let outcome = try Tool.bridge("accept", "replay", report, "--virtual")
        #expect(outcome.status == 74, "\(outcome)")
        let words = "the board does not answer after the frames of the step identity"
        #expect(outcome.errors.contains(words), "\(outcome)")
    }

    @Test func aConfigurationThatTheBoardRejectsIsNamed() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "identity").status == 0)
        var contents = try AcceptanceReport(path: report)
        contents.board.configurations[0]?.levelMax = 0
        try contents.write(to: report)
        let outcome = try Tool.bridge("accept", "replay", report, "--virtual")
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.contains("report.json: the configuration of actuator 0"))
    }

    /// The stream of the step `bus` differs in each acceptance test, so that the capture of another
    /// test fails.
    @Test func theStreamForTheAnalyzerDiffersInEachTest() throws {
        let board = try LiveBoard()
        func stream() throws -> [[UInt8]] {
            #expect(try accept(board, "--only", "bus").status == 75)
            let step = try #require(try AcceptanceReport(path: report).ended(.bus))
            return step.frames.filter { $0.frame.type == .events }.map(\.frame.payload)
        }
        let (first, second) = (try stream(), try stream())
        #expect(!first.isEmpty && first != second)
    }

    /// A step without checks does not count as carried out.
    @Test func aStepWithoutChecksHasNotPassed() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "link").status == 0)
        var contents = try AcceptanceReport(path: report)
        contents.steps[0].checks = []
        try contents.write(to: report)
        #expect(try AcceptanceReport(path: report).verdict == .skipped)
        #expect(try !AcceptanceReport(path: report).hasPassed(.link))
    }

    /// A late replay ends at the first frame that is late.
    @Test func aLateReplayEndsImmediately() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "clock").status == 0)
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", "replay", report, "--port", board.port])
        #expect(wait { tool.errors.contains("clock: ") })
        pause(2_000_000)
        let begun = Link.now()
        tool.signal(SIGSTOP)
        pause(2_000_000)
        tool.signal(SIGCONT)
        let outcome = tool.outcome()
        #expect(outcome.status == 75 && outcome.errors.contains("too late"), "\(outcome)")
        #expect(Link.now() - begun < 10_000_000)
    }

    /// A delay can be too short to end the replay. A difference after it is not attributed to the
    /// board.
    @Test func aDifferenceAfterADelayIsNotAttributedToTheBoard() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "actuator").status == 0)
        let other = try LiveBoard()
        other.chip(.diagnostics(.open))
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", "replay", report, "--port", other.port])
        #expect(wait { tool.errors.contains("actuator: ") })
        pause(20_000)
        tool.signal(SIGSTOP)
        pause(80_000)
        tool.signal(SIGCONT)
        let outcome = tool.outcome()
        #expect(outcome.status == 75 && outcome.errors.contains("too late"), "\(outcome)")
    }

    /// Every byte of a configuration is compared, except the results of the calibration and the
    /// invisible characters in the name.
    @Test func noDifferenceOfAConfigurationIsOverlooked() throws {
        var configuration = try #require(try configurationOfABoard())
        configuration.name = "motor"
        let bytes = configuration.bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                let other = try ActuatorConfiguration(bytes: changed)
                var result = other
                result.calibration = configuration.calibration
                if other.name.asNameOfStranger == configuration.name {
                    result.name = configuration.name
                }
                for register: UInt8 in 0x18...0x1A {
                    result.image[register] = configuration.image[register]
                }
                #expect(
                    configuration.isAlike(other) == (result == configuration),
                    "bit \(bit) of byte \(index)")
            }
        }
    }

    private func configurationOfABoard() throws -> ActuatorConfiguration? {
        #expect(try accept(try LiveBoard(), "--only", "identity").status == 0)
        return try AcceptanceReport(path: report).board.configurations[0]
    }

    @Test func standardOutputIsNoPlaceForAReport() throws {
        #expect(try Tool.bridge("accept", "-", "--virtual").status == 64)
    }

    /// Frames in an untrusted report must not permanently change a board.
    @Test(arguments: ["48", "4d00", "4c"])
    func aReplayRefusesFramesThatConfigureLockOrRestartABoard(command: String) throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "identity").status == 0)
        var contents = try AcceptanceReport(path: report)
        contents.steps[0].frames.append(try #require(LoggedFrame("3000000 > \(command)00")))
        try contents.write(to: report)
        let outcome = try Tool.bridge("accept", "replay", report, "--port", board.port)
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.contains("configures, locks or restarts"), "\(outcome)")
    }

    @Test func aBoardAtAPortIsConfiguredForAReplayOnlyOnRequest() throws {
        let board = try LiveBoard()
        let set = try Tool.bridge(
            "actuator", "set", "--kind", "lra", "--resonance", "205", "--rated", "2", "--overdrive",
            "3", "--port", board.port)
        #expect(set.status == 0, "\(set)")
        #expect(try accept(board, "--only", "link").status == 0)
        let other = try LiveBoard()
        let refused = try Tool.bridge("accept", "replay", report, "--port", other.port)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("is not configured as in the report"))
        let replayed = try Tool.bridge(
            "accept", "replay", report, "--port", other.port, "--configure")
        #expect(replayed.status == 0, "\(replayed)")
    }

    /// Replaces text in a report with invalid text. Checks that the tool rejects the report with a
    /// message that names the location.
    @Test(arguments: [
        (#""bridge.accept/1""#, #""bridge.accept/2""#, "schema"),
        (#""step": "identity""#, #""step": "../../etc""#, "steps[0].step"),
        (#""chips": ["#, #""chips": [ "7","#, "board.chips[0]"),
        (#" > 01"#, #" > zz"#, "frame 0 of the step identity"),
        (#"{"#, #"["#, "report.json:2:11: expected"),
    ])
    func aDamagedReportIsRefusedByName(old: String, new: String, place: String) throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "identity").status == 0)
        var text = try String(contentsOfFile: report, encoding: .utf8)
        let range = try #require(text.range(of: old))
        text.replaceSubrange(range, with: new)
        try text.write(toFile: report, atomically: true, encoding: .utf8)
        let outcome = try Tool.bridge("accept", "replay", report, "--port", board.port)
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.contains(place), "\(outcome.errors)")
    }
}
