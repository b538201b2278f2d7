// Tests of bridge accept: its verdicts on boards with and without faults, its report, and the
// replay of the report.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import AcceptanceReports
@testable import bridge

/// A defect of a board, and the check that must name its cause.
enum BoardDefect: CaseIterable {
    case noActuator, shorted, lowSupply, weakSupply, wrongResonance
    case noPullUps, swappedWires, enableTiedHigh, enableOpen, stalledHost, stalledCalibration
    case busyHost, slowCrystal, ermAsLRA, lraAsERM, foreignChip, noChip, unconfigured, resetOnLoad,
        chipResetOnLoad

    /// The options of the virtual board.
    var options: [String] {
        switch self {
        case .foreignChip: ["--chip", "5"]
        case .noChip: ["--actuators", "1", "--dead", "0"]
        case .unconfigured: ["--unconfigured"]
        default: []
        }
    }

    /// The fault of the chip since power-up; nil if the chip has none.
    var chip: ChipFault? {
        switch self {
        case .noActuator: .diagnostics(.open)
        case .shorted: .short(true)
        case .noPullUps: .weakPullUps(true)
        case .swappedWires: .swappedWires(true)
        case .enableTiedHigh: .enable(.high)
        case .enableOpen: .enable(.low)
        case .lraAsERM: .attached(.lra)
        case .lowSupply: .supply(millivolts: 2_800, sag: 0)
        case .weakSupply: .supply(millivolts: 4_900, sag: 800)
        case .wrongResonance: .resonance(hertz: 235)
        case .ermAsLRA: .attached(.erm)
        default: nil
        }
    }

    /// True if the board detects the defect when it starts.
    var isOfWires: Bool {
        [.noPullUps, .swappedWires, .enableTiedHigh, .enableOpen].contains(self)
    }

    /// The words of the verdict, and the exit status.
    var verdict: (words: String, status: Int32) {
        switch self {
        case .noActuator: ("no actuator is connected", 82)
        case .shorted: ("shorted", 82)
        case .noPullUps: ("the edges on the bus are too slow", 81)
        case .swappedWires: ("SDA and SCL are swapped at the driver", 81)
        case .enableTiedHigh: ("EN is tied high", 81)
        case .enableOpen: ("its EN pin is not connected", 81)
        case .slowCrystal: ("the oscillator of the board is off by more than a quarter", 74)
        case .stalledHost, .stalledCalibration: ("this computer did not run the program", 75)
        case .busyHost: ("this computer is busy", 75)
        case .lraAsERM: ("it is not the configured ERM", 82)
        case .lowSupply: ("the supply of the driver is too low", 83)
        case .weakSupply: ("the supply voltage drops under the load", 83)
        case .wrongResonance: ("does not resonate at the configured 170 Hz", 82)
        case .ermAsLRA: ("it is not the configured LRA", 82)
        case .foreignChip: ("a chip with the id 5 answers", 81)
        case .noChip: ("pull-up resistors", 81)
        case .unconfigured: ("is not configured", 78)
        case .resetOnLoad: ("the board was reset during the step", 83)
        case .chipResetOnLoad: ("the driver needs 200 mA at 3 V or more", 83)
        }
    }

    /// The steps of the test that detect the defect.
    var steps: [String] {
        let steps: [AcceptanceStep] =
            switch self {
            case .foreignChip, .noChip, .unconfigured, .noPullUps, .swappedWires, .enableOpen:
                [.identity]
            case .noActuator, .shorted, .ermAsLRA, .lraAsERM, .enableTiedHigh,
                .stalledCalibration:
                [.actuator]
            case .stalledHost, .slowCrystal: [.clock]
            case .busyHost: [.link]
            default: [.drive]
            }
        return steps.flatMap { ["--only", $0.rawValue] }
    }
}

@Suite(.virtualTool) struct AcceptTests {
    private let folder = Folder()
    private var report: String { folder.path("report.json") }

    private func accept(_ board: LiveBoard, _ options: String...) throws -> Outcome {
        try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port] + options
        ).outcome()
    }

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

    @Test(arguments: BoardDefect.allCases)
    func eachDefectIsNamedByItsCause(_ defect: BoardDefect) throws {
        let board = try LiveBoard(
            options: defect.options, ppm: defect == .slowCrystal ? -4_000 : 0)
        if defect == .lraAsERM {
            let set = try Tool.bridge(
                "actuator", "set", "--kind", "erm", "--rated", "3", "--overdrive", "3.6", "--port",
                board.port)
            try #require(set.status == 0, "\(set)")
        }
        if let fault = defect.chip { board.chip(fault) }
        if defect.isOfWires {
            pause(1_000)
            board.reset()
            pause(1_000_000)
        }
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port] + defect.steps)
        if defect == .resetOnLoad || defect == .chipResetOnLoad {
            #expect(wait { board.level > 100 })
            defect == .resetOnLoad ? board.reset() : board.chip(.brownOut)
        }
        if defect == .stalledHost { pause(10_000_000) }
        if defect == .stalledCalibration { #expect(wait { board.mode == 7 }) }
        while [.stalledHost, .stalledCalibration, .busyHost].contains(defect), tool.isRunning {
            tool.signal(SIGSTOP)
            pause(defect == .busyHost ? 70_000 : 400_000)
            tool.signal(SIGCONT)
            pause(defect == .busyHost ? 10_000 : 60_000_000)
        }
        let outcome = tool.outcome()
        #expect(outcome.status == defect.verdict.status, "\(outcome)")
        let text = outcome.output.split(separator: "\n").drop { !$0.contains("failed") }
        #expect(text.joined(separator: "\n").contains(defect.verdict.words), "\(outcome.output)")
    }

    /// The tolerances of the parts of a board are not reported as defects: its crystal within
    /// 0.1 %, its supply within 5 %, and its actuator within 15 %.
    @Test(arguments: 0..<50) func tolerancesOfPartsAreNoDefects(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let board = try LiveBoard(options: [], ppm: Int.random(in: -1_000...1_000, using: &random))
        board.chip(
            .supply(
                millivolts: .random(in: 4_750...5_200, using: &random),
                sag: .random(in: 0...150, using: &random)))
        board.chip(.resonance(hertz: .random(in: 145...195, using: &random)))
        let outcome = try accept(board)
        #expect(outcome.status == 0, "\(outcome)")
    }

    // MARK: Interruptions

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
        #expect(second.status == 0, "\(second)")
        #expect(try AcceptanceReport(path: report).ended(step) != nil)
    }

    /// Interrupts a complete test at a random time. In every third case, the cable is unplugged
    /// instead of the interruption.
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
        let set = try Tool.bridge("actuator", "set", "VG1040003D", "--port", board.port)
        #expect(set.status == 0, "\(set)")
        let again = try accept(board)
        #expect(again.status == 0, "\(again)")
        #expect(again.errors.contains("have changed, so the test begins again"))
        #expect(try accept(board).errors.contains("person: "))
    }

    @Test func aShortedActuatorIsNotDrivenAgain() throws {
        let board = try LiveBoard()
        board.chip(.short(true))
        let outcome = try accept(board, "--only", "actuator", "--only", "drive", "--only", "rest")
        #expect(outcome.status == 82, "\(outcome)")
        #expect(board.levels(since: 0).isEmpty)
        #expect(outcome.output.contains("its last diagnosis has failed"))
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

    // MARK: Reports

    @Test func aReportNamesNoSerialNumberAndNoComputer() throws {
        let board = try LiveBoard("--id", "fedcba9876543210")
        #expect(try accept(board, "--only", "identity").status == 0)
        let text = try String(contentsOfFile: report, encoding: .utf8)
        for secret in ["fedcba98", "1032547698badcfe", board.port, folder.url.path] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test func theReportOfAnotherBoardIsNotContinued() throws {
        #expect(try accept(try LiveBoard(), "--only", "identity").status == 0)
        let outcome = try accept(try LiveBoard("--chip", "3"))
        #expect(outcome.status == 73, "\(outcome)")
        #expect(outcome.errors.contains("other drivers or actuators"))
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

    /// The recorded frames that drive the actuator are due only after the signal, so no frame may
    /// be sent.
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

    /// Numbers and texts of an untrusted report neither crash the program nor forge its output.
    @Test func aHostileReportIsPrintedWithoutHarm() throws {
        let board = try LiveBoard()
        #expect(try accept(board, "--simulated-person").status == 0)
        var contents = try AcceptanceReport(path: report)
        contents.steps[0].seconds = 1e300
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

    /// Replaces text in a report by invalid text, and checks that the report is rejected with a
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
