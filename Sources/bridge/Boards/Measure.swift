// bridge calibrate and bridge diagnose: let the driver chip measure its actuator.

import ArgumentParser
import BridgeLink
import HapticBridge
import JSONText
import ToolSupport

struct Calibrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Calibrate the driver to its actuator, and store the result.",
        discussion: """
            The actuator vibrates for about a second. Before the calibration, mount the actuator \
            as it will be used, because the result for a loose actuator is wrong. Ctrl-C stops the \
            calibration.

            Example:
              bridge calibrate
            """)

    @OptionGroup var chosen: ActuatorOptions
    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        try board.withBoard { board in
            _ = try chosen.drivable(on: board)
            let measurement = Measurement(board, chosen.actuator)
            let (status, isSaved) = try measurement.calibrate()
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
        abstract: "Check that an actuator is connected and works.",
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
            let status = try Measurement(board, chosen.actuator).diagnose()
            try output.result(
                [
                    "schema": "bridge.diagnose/1", "board": .string(board.path),
                    "actuator": .number(chosen.actuator), "diagnosis": .name(status.diagnosis),
                ],
                text: "\(board.path): actuator \(chosen.actuator) is connected and works")
            if status.diagnosis == .notDisabled {
                output.remark(
                    "\(board.path): the driver responds while its EN pin is low: "
                        + ActuatorFacts.enableAdvice)
            }
        }
    }
}

/// A calibration or a diagnosis of an actuator. Creates the error for a failure.
private struct Measurement {
    let board: HapticBoard
    let actuator: UInt8
    private let use: ExclusiveUse
    /// The beginning of each message: the board's port and the actuator.
    private var prefix: String { "\(board.path): actuator \(actuator)" }

    init(_ board: HapticBoard, _ actuator: UInt8) {
        self.board = board
        self.actuator = actuator
        use = ExclusiveUse(of: [board])
    }

    /// Calibrates the actuator, and stores the result. Throws `ToolError` unless the calibration has
    /// passed.
    func calibrate() throws -> (status: ActuatorStatus, isSaved: Bool) {
        try use.perform {
            let result = try board.calibrate(actuator, while: use.isWanted)
            try judge(calibration: result.status)
            return result
        }
    }

    /// Diagnoses the actuator. Throws `ToolError` unless the diagnosis has passed.
    func diagnose() throws -> ActuatorStatus {
        try use.perform {
            let status = try board.diagnose(actuator, while: use.isWanted)
            try judge(diagnosis: status)
            return status
        }
    }

    /// Throws `ToolError` unless the calibration has passed. After a failure, runs a diagnosis to
    /// find the cause.
    private func judge(calibration status: ActuatorStatus) throws {
        if let stop = use.stop { throw stop }
        try checkFaults(status, "the calibration was interrupted")
        switch status.calibration {
        case .passed: return
        case .busError: throw busError("calibration")
        default: break
        }
        let how = status.calibration == .timedOut ? "did not end within 2 s" : "has failed"
        try judge(
            diagnosis: try board.diagnose(actuator, while: use.isWanted),
            after: "the calibration \(how); ")
        throw ToolError(
            .actuatorFault,
            "\(prefix): the calibration \(how), although an actuator is connected and not shorted",
            advice: "the actuator may be loose or blocked: mount it as it will be used",
            "the configured values may belong to another actuator: see `bridge actuator show`",
            "the stored configuration is unchanged")
    }

    /// Throws `ToolError` unless the diagnosis has passed.
    private func judge(diagnosis status: ActuatorStatus, after cause: String = "") throws {
        if let stop = use.stop { throw stop }
        try checkFaults(status, "\(cause)the diagnosis was interrupted")
        switch status.diagnosis {
        case .passed, .notDisabled: return
        case .busError: throw busError("diagnosis")
        default:
            throw ToolError(
                .actuatorFault, "\(prefix): \(cause)the actuator is open, shorted or not connected",
                advice: "unplug the board and measure OUT+ to OUT-: 8 to 70 ohms are correct",
                "do not drive a shorted actuator again; an open actuator has a broken wire")
        }
    }

    private func checkFaults(_ status: ActuatorStatus, _ what: String) throws {
        let faults = try board.status().faults
        let isCutShort = !faults.isDisjoint(with: [.overCurrent, .overTemperature, .chipReset])
        if status.state == .fault || isCutShort {
            throw ToolError("\(prefix): \(what)", faults, of: board)
        }
    }

    private func busError(_ what: String) -> ToolError {
        ToolError(
            .noDriver, "\(prefix): the bus to its driver failed during the \(what)",
            advice: "check the wires of SDA and SCL, and their pull-ups; nothing was stored")
    }
}
