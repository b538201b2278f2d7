// Tests that `bridge accept` continues a test after interruptions, failures and changes of the
// board.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import AcceptanceReports
@testable import bridge

@Suite(.virtualTool) struct AcceptContinueTests: AcceptSuite {
    let folder = Folder()

    @Test(arguments: AcceptanceStep.allCases)
    func anInterruptedStepIsRepeatedByTheNextCall(_ step: AcceptanceStep) throws {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["accept", report, "--port", board.port, "--only", step.rawValue])
        #expect(wait { tool.errors.contains("\(step): ") || !tool.isRunning })
        pause([.identity, .person, .hands].contains(step) ? 0 : 300_000)
        tool.signal(SIGINT)
        #expect(
            tool.outcome().wasEnded(by: SIGINT) || [.identity, .person, .hands].contains(step))
        #expect(wait { board.isAtRest })
        let first = try AcceptanceReport(path: report)
        #expect(first.steps.map(\.step) == [step])
        let second = try accept(board, "--only", step.rawValue)
        // The steps `bus`, `person` and `hands` skip all of their checks, because there is no
        // analyzer and no person.
        #expect(second.status == ([.bus, .person, .hands].contains(step) ? 75 : 0), "\(second)")
        #expect(try AcceptanceReport(path: report).ended(step) != nil)
    }

    /// Interrupts the scan of the bus, before or after the scan reaches the address of the driver.
    @Test(arguments: stride(from: 0, to: 240_000, by: 20_000).map { Microseconds($0) })
    func anInterruptedScanOfTheBusIsNoFault(of time: Microseconds) throws {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["accept", report, "--port", board.port, "--only", "identity"])
        #expect(wait { tool.errors.contains("identity: ") || !tool.isRunning })
        pause(time)
        tool.signal(SIGINT)
        let outcome = tool.outcome()
        let verdict = try AcceptanceReport(path: report).verdict
        #expect(verdict == .interrupted || verdict == .passed, "\(outcome)")
    }

    /// Interrupts a complete test at a random time. In every third case, the cable is unplugged
    /// instead.
    @Test(arguments: 0..<30) func aTestThatIsInterruptedAtAnyTimeIsContinued(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port])
        pause(.random(in: 1_000_000...80_000_000, using: &random))
        let isPulled = seed % 3 == 2
        if isPulled {
            board.end()
        } else {
            tool.signal(SIGINT)
            #expect(wait(seconds: 0.5) { board.isAtRest })
        }
        let outcome = tool.outcome()
        #expect(isPulled ? outcome.status == 74 : outcome.wasEnded(by: SIGINT), "\(outcome)")
        let ended = try AcceptanceReport(path: report).steps
        #expect(ended.last?.verdict == (isPulled ? .failed : .interrupted), "\(outcome)")
        let again = try accept(isPulled ? try LiveBoard() : board)
        #expect(again.status == 0, "\(again)")
        for step in ended.dropLast() { #expect(!again.errors.contains("\(step.step): ")) }
        #expect(again.errors.contains("\(ended.last!.step): "))
    }

    @Test func aStepThatWasInterruptedEarlierMakesTheTestIncomplete() throws {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port, "--only", "clock"])
        #expect(wait { tool.errors.contains("clock: ") })
        tool.signal(SIGINT)
        _ = tool.outcome()
        let other = try accept(board, "--only", "identity")
        #expect(other.status == 75, "\(other)")
        #expect(other.errors.contains("the test is not complete: interrupted: clock"))
        #expect(try accept(board, "--only", "clock").status == 0)
    }

    /// A reset of the board causes the step to fail, but the following steps are carried out.
    @Test(arguments: [AcceptanceStep.clock, .rest])
    func aResetDoesNotEndTheTest(_ step: AcceptanceStep) throws {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"),
            [
                "accept", report, "--port", board.port, "--only", step.rawValue, "--only",
                "identity",
            ])
        #expect(wait { step == .rest ? board.level > 0 : tool.errors.contains("clock: ") })
        pause(step == .rest ? 0 : 5_000_000)
        board.reset()
        let outcome = tool.outcome()
        #expect(outcome.status == 83, "\(outcome)")
        #expect(outcome.output.contains("the board was reset during the step"), "\(outcome)")
        #expect(try AcceptanceReport(path: report).hasPassed(.identity))
    }

    @Test func anInterruptedTestIsContinuedWhereItEnded() throws {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port])
        #expect(wait { tool.errors.contains("clock: ") })
        tool.signal(SIGINT)
        _ = tool.outcome()
        let again = try accept(board)
        #expect(again.status == 0, "\(again)")
        #expect(!again.errors.contains("identity: ") && again.errors.contains("clock: "))
        #expect(again.errors.contains("person: "))
    }

    @Test func aStepThatHasFailedIsRepeatedAfterTheRepair() throws {
        let board = try LiveBoard("--unconfigured")
        #expect(try accept(board).status == 78)
        let failed = folder.text("report.json")
        let set = try Tool.bridge("actuator", "set", "VG1040003D", "--port", board.port)
        #expect(set.status == 0, "\(set)")
        let again = try accept(board)
        #expect(again.status == 0, "\(again)")
        #expect(again.errors.contains("the board has changed, so the test begins again"))
        #expect(
            again.errors.contains(
                "actuator 0, configuration: the report has none, this board an LRA")
        )
        #expect(again.errors.contains("kept as \(folder.path("report.previous.json"))"))
        #expect(folder.text("report.previous.json") == failed)
        #expect(try accept(board).errors.contains("person: "))
    }

    @Test func aPulledCableIsTheResultOfItsStepAndTheNextCallContinues() throws {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port, "--only", "events"])
        #expect(wait { board.level > 0 })
        board.end()
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(try AcceptanceReport(path: report).steps.map(\.verdict) == [.failed])
    }

    @Test func anInterruptedRepetitionKeepsTheEarlierResult() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--only", "events").status == 0)
        let earlier = try AcceptanceReport(path: report)
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port, "--only", "events"])
        #expect(wait { board.level > 0 })
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
        #expect(try AcceptanceReport(path: report) == earlier)
    }

    @Test func theReportOfAnotherBoardIsNotContinued() throws {
        #expect(try accept(try LiveBoard(), "--only", "identity").status == 0)
        let outcome = try accept(try LiveBoard("--chip", "3"))
        #expect(outcome.status == 73, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "actuator 0, chip: the report has DRV2605L, this board DRV2605"), "\(outcome)")
    }

    /// Each report of a failed test is kept, regardless of the name of the file.
    @Test(arguments: ["report.json", "report"])
    func everyFailedReportIsKept(name: String) throws {
        let board = try LiveBoard()
        let file = folder.path(name)
        var earlier: [String] = []
        for resonance in ["205", "210", "215"] {
            let set = try Tool.bridge(
                "actuator", "set", "--kind", "lra", "--resonance", resonance, "--rated", "2",
                "--overdrive", "3", "--port", board.port)
            #expect(set.status == 0, "\(set)")
            board.chip(.supply(millivolts: 2_800, sag: 0))
            let outcome = try Tool.bridge("accept", file, "--port", board.port, "--only", "drive")
            #expect(outcome.status == 83, "\(outcome)")
            if resonance == "215" {
                let words = "actuator 0, resonance: the report has 210.0 Hz, this board 215.0 Hz"
                #expect(outcome.errors.contains(words), "\(outcome)")
            }
            earlier.append(folder.text(name))
        }
        #expect(folder.text("report.previous.json") == earlier[0])
        #expect(folder.text("report.previous-2.json") == earlier[1])
    }

    // MARK: The person

    private func person(_ board: LiveBoard, answers: String) throws -> Outcome {
        try RunningTool(
            Tool.executable("bridge"),
            ["accept", report, "--port", board.port, "--only", "person"],
            typed: answers.map { "\($0)\n" }.joined()
        ).outcome()
    }

    @Test func nothingVibratesBeforeThePersonAgrees() throws {
        let board = try LiveBoard()
        let outcome = try person(board, answers: "nnnn")
        #expect(outcome.status == 75 && !board.hasDriven, "\(outcome)")
        let checks = try #require(try AcceptanceReport(path: report).ended(.person)).checks
        #expect(checks.map(\.verdict) == [.skipped])
        #expect(checks[0].note == "the person declined")
    }

    @Test func theVibrationsAreAnnouncedBeforeTheQuestions() throws {
        let board = try LiveBoard()
        let outcome = try person(board, answers: "yynny")
        #expect(outcome.status == 82 && board.hasDriven, "\(outcome)")
        let checks = try #require(try AcceptanceReport(path: report).ended(.person)).checks
        #expect(checks.map(\.verdict) == [.passed, .failed, .passed])
        let parts = outcome.errors.components(separatedBy: "Did you feel")
        #expect(parts.count == 3 && parts[0].contains("which now vibrates"), "\(outcome)")
    }

    /// The data sheet does not state when the chip uses a new frequency, so both answers pass.
    @Test(arguments: [
        ("y", "the chip changes the frequency while it drives"),
        ("n", "the chip changes the frequency only when it starts from rest"),
    ])
    func thePersonReportsWhenTheChipChangesTheFrequency(answer: String, note: String) throws {
        let board = try LiveBoard()
        let set = try Tool.bridge(
            "actuator", "set", "--kind", "wide-band", "--band", "80-300", "--rated", "2",
            "--overdrive", "3", "--port", board.port)
        #expect(set.status == 0, "\(set)")
        let outcome = try person(board, answers: "yyy\(answer)ny")
        #expect(outcome.status == 0, "\(outcome)")
        let checks = try #require(try AcceptanceReport(path: report).ended(.person)).checks
        #expect(checks.map(\.verdict) == [.passed, .passed, .passed, .passed])
        #expect(checks[2].name == "actuator 0, frequency" && checks[2].note == note)
    }

    @Test func theFrequencyOfANarrowBandIsNoQuestion() throws {
        let board = try LiveBoard()
        let set = try Tool.bridge(
            "actuator", "set", "--kind", "wide-band", "--band", "200-280", "--rated", "2",
            "--overdrive", "3", "--port", board.port)
        #expect(set.status == 0, "\(set)")
        // The last answer is not needed.
        let outcome = try person(board, answers: "yyynyy")
        #expect(!outcome.errors.contains("from low to high"), "\(outcome)")
        let checks = try #require(try AcceptanceReport(path: report).ended(.person)).checks
        #expect(checks.map(\.verdict) == [.passed, .passed, .skipped, .passed])
        #expect(checks[2].note == AcceptanceRun.narrow)
    }
}
