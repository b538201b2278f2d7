// bridge accept replay: plays a report back on another board.

import AcceptanceReports
import ArgumentParser
import BridgeLink
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

struct AcceptReplay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send the frames of a report to another board, and compare its answers.",
        discussion: """
            Sends the frames that the program sent during the test, at the same times, to the \
            virtual board or to a board at a port, which may be simulated. Names the first answer \
            that differs from the report, with its step, its time and both values. Measured \
            values, such as the supply voltage, and the times of short-lived states are not \
            compared.

            The actuators of the virtual board are configured as in the report. The actuators of a \
            board at a port must have these configurations already, unless --configure is given. \
            Nothing is stored.

            Examples:
              bridge accept replay report.json --virtual
              bridge accept replay report.json --port /dev/pts/3 --configure
            """)

    @Argument(help: ArgumentHelp("The report.", valueName: "report"))
    var file: String

    @Option(help: ArgumentHelp("Replay only this step.", valueName: "step"))
    var only: [AcceptanceStep] = []

    @Flag(
        name: .customLong("configure"),
        help: """
            Configure the actuators of the board as in the report, until the next reset. Use this \
            option only with a simulated board, because the voltages in a report may damage an \
            actuator.
            """)
    var isConfigured = false

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard only != [.hands] else {
            throw ValidationError("--only hands: the step has no frames and cannot be replayed.")
        }
    }

    func run() throws {
        let report = try AcceptanceReport(path: file)
        let steps = report.steps.filter {
            $0.step != .hands && !$0.frames.isEmpty && (only.isEmpty || only.contains($0.step))
        }
        guard !steps.isEmpty else {
            throw ToolError(
                .badData, "\(file): no step can be replayed",
                advice: "carry out the step: bridge accept \(file)")
        }
        let recordings = try steps.map(recording)
        try board.withBoard { board in
            try configure(board, as: report)
            for recording in recordings {
                let time = recording.frames.last.map { $0.time.secondsText } ?? ""
                output.remark("\(recording.step): \(recording.frames.count) frames, \(time)")
                let played = try Interruption.deferred { try replay(recording, on: board) }
                if let status = Interruption.status {
                    throw ToolError(status, "stopped; the actuators are at rest")
                }
                if let error = played.difference(from: recording, in: file) { throw error }
            }
        }
        try output.result(
            ["schema": "bridge.replay/1", "steps": .number(steps.count), "equal": true],
            text: "\(file): no difference in \(steps.count.text("step"))")
    }

    private func recording(of step: AcceptanceReport.Step) throws(ToolError) -> FrameRecording {
        do throws(AcceptanceReportError) {
            return try FrameRecording(step)
        } catch {
            throw ToolError(error, in: file)
        }
    }

    /// Sends the frames of a recording, and returns the replay with the answers. All actuators are
    /// at rest afterwards.
    private func replay(_ recording: FrameRecording, on board: HapticBoard) throws -> FrameReplay {
        var replay = FrameReplay(board.link.transport)
        let result = Result { try replay.replay(recording) }
        if case .failure(let error as TransportError) = result { throw error }
        do {
            // A new session ends the session of the recording and all playback.
            try board.reconnect()
            try board.stop()
        } catch is LinkEnd {
            // If the replay itself failed, its error is the cause and is thrown instead.
            _ = try result.get()
            throw ToolError(
                .inputOutput,
                "\(board.path): the board does not answer after the frames of the step "
                    + "\(recording.step)",
                advice: "reset the board; if it does not answer again, do not use this report")
        }
        try result.get()
        return replay
    }

    private func configure(_ board: HapticBoard, as report: AcceptanceReport) throws {
        guard self.board.virtual || board.welcome.kind.rawValue == report.board.kind else {
            throw ToolError(
                .wrongBoard,
                "\(board.path): the kind of the board is \(board.welcome.kind), but that of the "
                    + "report is \(report.board.name)",
                advice: "choose a board of that kind, or the virtual board")
        }
        guard report.board.configurations.count == Int(board.welcome.actuators) else {
            throw ToolError(
                .wrongBoard,
                "\(board.path): \(Int(board.welcome.actuators).text("actuator")), but the report "
                    + "describes a board with \(report.board.configurations.count)",
                advice: "choose a board of the same kind")
        }
        for (index, configuration) in report.board.configurations.enumerated() {
            guard let configuration else { continue }
            let actuator = UInt8(clamping: index)
            let own = try board.link.configuration(ofActuator: actuator)
            guard !own.isAlike(configuration) else { continue }
            guard isConfigured || self.board.virtual else {
                throw ToolError(
                    .notConfigured,
                    "\(board.path): actuator \(actuator) is not configured as in the report",
                    advice: "use a simulated board with --configure, or the virtual board")
            }
            do {
                try board.link.carryOut(.configure(configuration, actuator: actuator))
            } catch RequestError.rejected(let reject) {
                throw ToolError(
                    .badData, "\(file): the configuration of actuator \(actuator): \(reject)",
                    advice: "use an unchanged report of `bridge accept`")
            }
            try board.waitUntilSettled(actuator)
        }
    }
}
