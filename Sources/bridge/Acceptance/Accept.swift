// bridge accept: tests a board that is used for the first time.

import AcceptanceReports
import ArgumentParser
import BridgeLink
import DRV2605
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

struct Accept: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Test a board that is used for the first time, and write a report.",
        usage: """
            bridge accept <report> [--only <step>] [--analyzer <driver>] [--port <path> | --virtual] [--json]
            bridge accept <report> --capture <file> [--wires <scl,sda>]
            bridge accept replay <report> [--only <step>] [--port <path> | --virtual] [--json]
            """,
        discussion: """
            Tests the board, its firmware, its drivers and its actuators in nine steps: identity, \
            actuator, drive, clock, link, events, rest, person and hands. The actuators vibrate. \
            The test takes about two minutes, and asks a few questions. If you agree, you pull the \
            cable, press the reset button, suspend the computer and cut the power in the last \
            step. Without a terminal, the test asks no questions.

            The report is a JSON file with every figure, its bounds, and the frames of the link. \
            The report contains no serial number and no name of this computer. The same command \
            continues a test that was interrupted, and repeats the steps that have not passed. \
            `bridge accept replay` plays a report back.

            With --analyzer, a logic analyzer on SDA and SCL records the transfers to the driver \
            in an additional step, `bus`. --capture compares a recording that another program made \
            during the step `bus` or `events`. Both options need sigrok-cli.

            The calibration of each actuator is stored on the board. The exit status is the status \
            of the first check that fails. If no check fails, the exit status is 75 if a step of \
            the report was interrupted or no check has been carried out, and 0 otherwise.

            Examples:
              bridge accept report.json
              bridge accept report.json --only events
              bridge accept report.json --analyzer fx2lafw
              bridge accept report.json --capture bus.sr
              bridge accept replay report.json --virtual

            `bridge help accept test` lists all options.
            """,
        subcommands: [AcceptTest.self, AcceptReplay.self],
        defaultSubcommand: AcceptTest.self)
}

/// The command that tests a board. `bridge accept` runs this command if no subcommand is named.
struct AcceptTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Test a board (default).")

    @Argument(
        help: ArgumentHelp(
            "The file of the report, which is continued if one of its steps has not passed.",
            valueName: "report"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Carry out only this step, and repeat it if the report contains it already.",
            valueName: "step"))
    var only: [AcceptanceStep] = []

    @OptionGroup(title: "Logic analyzer options") var witness: WitnessOptions

    @Flag(
        name: .customLong("simulated-person"),
        help: ArgumentHelp(
            "Simulate a person who feels every vibration but never disturbs the board.",
            visibility: .hidden))
    var isSimulated = false

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard file != "-" else {
            throw ValidationError(
                "The report is written after each step, so it must be a regular file.")
        }
        if let driver = witness.driver, board.virtual {
            throw ValidationError(
                "--analyzer \(driver) and --virtual cannot be combined: a virtual board has no "
                    + "wires.")
        }
        if witness.capture != nil, let other = board.chosenBy {
            throw ValidationError("--capture and \(other) cannot be combined.")
        }
    }

    func run() throws {
        try checkFile()
        if witness.capture != nil {
            let report = try Interruption.deferred { try compareCapture() }
            let stop = Interruption.status.map { ToolError($0, "interrupted") }
            return try printResult(of: report, stoppedBy: stop)
        }
        let earlier = access(file, F_OK) == 0 ? try AcceptanceReport(path: file) : nil
        let (report, stop) = try board.withBoard { board in
            let use = ExclusiveUse(of: [board])
            return (try use.perform { try test(board, earlier, use) }, use.stop)
        }
        try printResult(of: report, stoppedBy: stop)
    }

    /// Throws `ToolError` if the report is not a regular file, because only a regular file can be
    /// replaced.
    private func checkFile() throws(ToolError) {
        var information = stat()
        guard stat(file, &information) == 0, information.st_mode & S_IFMT != S_IFREG else { return }
        throw ToolError(
            .noInput, "\(file): not a file", advice: "specify the name of a file for the report")
    }

    /// Prints the report. Throws the error of a test that was stopped, or that is not complete or
    /// has failed.
    private func printResult(of report: AcceptanceReport, stoppedBy stop: ToolError?) throws {
        try output.result(report.json(of: file), text: report.lines.joined(separator: "\n"))
        if var stop {
            stop.advice = ["the same command continues the test"]
            throw stop
        }
        if let reason = report.incompleteness {
            throw ToolError(
                report.status, "\(file): the test is not complete: \(reason)",
                advice: "bridge accept \(file) continues the test")
        }
        if report.status != .success { throw ToolError(report.status, "") }
    }

    /// Carries out the steps that have not passed, and writes the report after each step.
    private func test(
        _ board: HapticBoard, _ earlier: AcceptanceReport?, _ use: ExclusiveUse
    ) throws -> AcceptanceReport {
        let analyzer = try witness.analyzer()
        var report = try self.report(of: try Self.identity(of: board), continuing: earlier)
        let all = analyzer == nil ? AcceptanceStep.usual : AcceptanceStep.allCases
        let steps = only.isEmpty ? all : only
        let open = steps.filter { !only.isEmpty || !report.hasPassed($0) }
        guard !open.isEmpty else {
            output.remark("\(file): all steps have passed; --only STEP repeats a step")
            return report
        }
        let run = AcceptanceRun(board: board, use: use, person: person, analyzer: analyzer)
        for step in open where use.isWanted() {
            output.remark("\(step): \(step.action)")
            // The step is recorded in advance, so that the report names it even if this program is
            // killed.
            report.record(.init(step: step, seconds: 0, checks: [.interrupted], frames: []))
            try report.write(to: file)
            var result = run.result(of: step)
            if let capture = analyzer?.takeCapture() {
                try result.compare(with: capture, of: report.board, in: file)
            }
            report.record(result)
            do {
                try report.write(to: file)
            } catch {
                // Because the file was not written, the report is printed instead, even with
                // --quiet.
                Terminal.standardError.write(report.lines.joined(separator: "\n") + "\n")
                throw error
            }
            guard result.verdict != .failed || run.boardAnswers else {
                output.remark(
                    "the tested board does not answer; the same command continues the test")
                break
            }
        }
        return report
    }

    /// Returns the earlier report if it describes the same board. If the test of that board has
    /// failed and its firmware, chips or configuration have changed, keeps a copy of the earlier
    /// report and returns a new report. Throws `ToolError` if the report describes another board.
    private func report(
        of board: AcceptanceReport.Board, continuing earlier: AcceptanceReport?
    ) throws(ToolError) -> AcceptanceReport {
        guard let earlier, !earlier.steps.isEmpty else {
            return AcceptanceReport(program: toolVersion, board: board)
        }
        let differences = earlier.board.differences(to: board)
        guard !differences.isEmpty else { return earlier }
        guard earlier.board.kind == board.kind, earlier.verdict == .failed else {
            var error = ToolError(
                .cannotCreate, "\(file): the report describes another board or configuration")
            error.advice = Self.shown(differences) + ["choose another file"]
            throw error
        }
        let copy = try keepEarlierReport()
        let lines =
            ["\(file): the board has changed, so the test begins again:"]
            + Self.shown(differences) + ["the earlier report is kept as \(copy)"]
        output.remark(lines.joined(separator: "\n  "))
        return AcceptanceReport(program: toolVersion, board: board)
    }

    /// The maximum number of differences that are shown.
    private static let differencesMax = 8

    private static func shown(_ differences: [String]) -> [String] {
        let others = differences.count - differencesMax
        return differences.prefix(differencesMax)
            + (others > 0 ? ["\(others.text("further difference"))"] : [])
    }

    /// The maximum number of copies of earlier reports.
    private static let copiesMax = 100

    /// Writes a copy of the earlier report under an unused name, and returns the name.
    private func keepEarlierReport() throws(ToolError) -> String {
        let bytes = try InputFile(file).bytes
        let name = file.hasSuffix(".json") ? String(file.dropLast(".json".count)) : file
        for number in 1...Self.copiesMax {
            let copy = "\(name).previous\(number > 1 ? "-\(number)" : "").json"
            if try OutputFile.make(copy, with: bytes) { return copy }
        }
        throw ToolError(
            .cannotCreate, "\(file): \(Self.copiesMax) copies of earlier reports already exist",
            advice: "remove the copies that you do not need, or choose another file")
    }

    private var person: Person? {
        isSimulated ? .simulated : Terminal.standardInput.isTerminal ? .atTerminal : nil
    }

    private static func identity(of board: HapticBoard) throws -> AcceptanceReport.Board {
        let actuators = try board.actuators()
        let configurations = try actuators.map { actuator in
            actuator.kind == .none
                ? nil : try board.link.configuration(ofActuator: actuator.actuator)
        }
        return .init(
            kind: board.welcome.kind.rawValue, name: "\(board.welcome.kind)",
            firmware: board.welcome.firmwareVersion,
            usb: PortList.port(at: board.path)?.usb?.id,
            chips: actuators.map(\.chipID), configurations: configurations)
    }
}

extension AcceptanceStep: ExpressibleByArgument {
    /// A description of the step for the progress display.
    fileprivate var action: String {
        switch self {
        case .identity: "identifying the board and its chips"
        case .actuator: "diagnosing and calibrating the actuators"
        case .drive: "measuring supply and resonance while the actuators are driven"
        case .clock: "comparing the clocks for a minute"
        case .link: "measuring 1,000 round trips"
        case .events: "playing 1,000 taps"
        case .bus: "playing levels, taps and a ramp for the logic analyzer"
        case .rest: "stopping, and falling silent"
        case .person: "asking whether patterns are felt"
        case .hands: "asking you to disturb the board"
        }
    }
}
