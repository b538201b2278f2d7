// bridge calibrate and bridge diagnose: what the chip finds out about its actuator.

import AHAP
import ArgumentParser
import BridgeLink
import HapticBridge

struct Calibrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let the driver adapt to its actuator, and store what it finds.",
        discussion: """
            The actuator vibrates for about a second. Mount it as it will be used: one that lies \
            loose on the table is measured wrongly. Ctrl-C stops it.

            Example:
              bridge calibrate
            """)

    @OptionGroup var chosen: ActuatorOptions
    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        try board.withBoard { board in
            _ = try chosen.drivable(on: board)
            let (status, isSaved) = try Interruption.deferred {
                try board.calibrate(chosen.actuator) { !Interruption.isRequested }
            }
            try Measurement(board, chosen.actuator).judge(calibration: status)
            let facts = try ActuatorFacts(status: status, on: board)
            try output.result(
                [
                    "schema": "bridge.calibrate/1", "board": .string(board.path),
                    "saved": .bool(isSaved), "actuator": facts.json,
                ],
                text: "\(board.path): actuator \(chosen.actuator) is calibrated"
                    + (isSaved ? ", and the result is stored" : "") + "\n" + facts.table.text)
        }
    }
}

struct Diagnose: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let the driver look whether its actuator is there and in order.",
        discussion: """
            The actuator moves for a moment.

            Example:
              bridge diagnose
            """)

    @OptionGroup var chosen: ActuatorOptions
    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        try board.withBoard { board in
            _ = try chosen.drivable(on: board)
            let status = try Interruption.deferred {
                try board.diagnose(chosen.actuator) { !Interruption.isRequested }
            }
            try Measurement(board, chosen.actuator).judge(diagnosis: status)
            try output.result(
                [
                    "schema": "bridge.diagnose/1", "board": .string(board.path),
                    "actuator": .number(chosen.actuator), "diagnosis": .name(status.diagnosis),
                ],
                text: "\(board.path): actuator \(chosen.actuator) is there and in order")
        }
    }
}

/// What a calibration or diagnosis that did not pass means.
private struct Measurement {
    let board: HapticBoard
    let actuator: UInt8
    /// What messages begin with.
    private var place: String { "\(board.path): actuator \(actuator)" }

    init(_ board: HapticBoard, _ actuator: UInt8) {
        self.board = board
        self.actuator = actuator
    }

    /// Throws `ToolError` unless it has passed. A failure is looked into by a diagnosis.
    func judge(calibration status: ActuatorStatus) throws {
        try checkInterruption()
        try checkFaults(status, "the calibration was cut short")
        switch status.calibration {
        case .passed: return
        case .busError: throw busError("calibration")
        default: break
        }
        let how = status.calibration == .timedOut ? "did not end within 2 s" : "has failed"
        try judge(diagnosis: try board.diagnose(actuator), after: "the calibration \(how); ")
        throw ToolError(
            .actuatorFault,
            "\(place): the calibration \(how), though an actuator is there and not shorted",
            advice: "it may be loose or blocked: mount it as it will be used",
            "its figures may be another actuator's: see `bridge actuator show`",
            "what was stored before is unchanged")
    }

    /// Throws `ToolError` unless it has passed.
    func judge(diagnosis status: ActuatorStatus, after cause: String = "") throws {
        try checkInterruption()
        try checkFaults(status, "\(cause)the diagnosis was cut short")
        switch status.diagnosis {
        case .passed: return
        case .busError: throw busError("diagnosis")
        default:
            throw ToolError(
                .actuatorFault, "\(place): \(cause)it is open or shorted, or no actuator at all",
                advice: "unplug the board and measure OUT+ to OUT-: 8 to 70 ohms are right",
                "a shorted one must not be driven again; an open one has a broken wire")
        }
    }

    private func checkInterruption() throws(ToolError) {
        if let status = Interruption.status {
            throw ToolError(status, "stopped; the actuator is at rest")
        }
    }

    private func checkFaults(_ status: ActuatorStatus, _ what: String) throws {
        let faults = try board.status().faults
        let isCutShort = !faults.isDisjoint(with: [.overCurrent, .overTemperature, .chipReset])
        if status.state == .fault || isCutShort { throw ToolError("\(place): \(what)", faults) }
    }

    private func busError(_ what: String) -> ToolError {
        ToolError(
            .noDriver, "\(place): the bus to its driver failed in the middle of the \(what)",
            advice: "check the wires of SDA and SCL, and their pull-ups; nothing was stored")
    }
}
