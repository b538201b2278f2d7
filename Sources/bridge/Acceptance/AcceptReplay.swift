// bridge accept replay: plays a report back on another board.

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
            Sends what the program sent during the test, at the same times, to the virtual board \
            or to the board at a port, which may be a simulated one. Names the first answer that \
            differs from the report, with its step, its time and both values. Measured values, \
            such as the supply voltage, and the times of states that only last for a moment are \
            not compared.

            The actuators of the board get the configurations of the report, which are not stored.

            Example:
              bridge accept replay report.json --virtual
            """)

    @Argument(help: ArgumentHelp("The report.", valueName: "report"))
    var file: String

    @Option(help: ArgumentHelp("Replay only this step.", valueName: "step"))
    var only: [AcceptanceStep] = []

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        let report = try AcceptanceReport(path: file)
        let steps = report.steps.filter { only.isEmpty || only.contains($0.step) }
        guard !steps.isEmpty else {
            throw ToolError(
                .badData, "\(file): contains no step to replay",
                advice: "carry out the step: bridge accept \(file)")
        }
        let recordings = try steps.map { try FrameRecording($0, in: file) }
        try board.withBoard { board in
            try configure(board, as: report)
            for recording in recordings {
                output.remark("\(recording.step): \(recording.frames.count) frames")
                var replay = FrameReplay(board.link.transport)
                let answers = try Interruption.deferred { try replay.replay(recording) }
                if let status = Interruption.status {
                    throw ToolError(status, "stopped; the actuators come to rest within 0.25 s")
                }
                try compare(recording, answers)
            }
        }
        try output.result(
            ["schema": "bridge.replay/1", "steps": .number(steps.count), "equal": true],
            text: "\(file): no difference in \(steps.count.text("step"))")
    }

    private func configure(_ board: HapticBoard, as report: AcceptanceReport) throws {
        guard report.board.configurations.count == Int(board.welcome.actuators) else {
            throw ToolError(
                .wrongBoard,
                "\(board.path): \(Int(board.welcome.actuators).text("actuator")), but the report "
                    + "is of a board with \(report.board.configurations.count)",
                advice: "choose a board of the same kind")
        }
        for (actuator, text) in report.board.configurations.enumerated() where !text.isEmpty {
            guard let bytes = [UInt8](hexadecimal: text.utf8),
                let configuration = try? ActuatorConfiguration(bytes: bytes)
            else {
                throw ToolError(
                    .badData, "\(file): board.configurations[\(actuator)] is invalid",
                    advice: "give an unchanged report of `bridge accept`")
            }
            try board.link.carryOut(
                .configure(configuration, actuator: UInt8(clamping: actuator)))
            try board.waitUntilSettled(UInt8(clamping: actuator))
        }
    }

    /// Throws `ToolError` for the first difference.
    private func compare(_ recording: FrameRecording, _ answers: [LoggedFrame]) throws {
        guard
            let difference = AnswerDifference.first(
                recorded: recording.answers, replayed: answers)
        else { return }
        throw ToolError(
            .badData,
            "\(file): \(recording.step), \(difference.time.secondsText): \(difference.subject): "
                + "the report has \(difference.recorded), this board \(difference.replayed)")
    }
}
