// bridge actuator: what a board knows of its actuators. This file is the parent of its verbs.

import ArgumentParser
import BridgeLink
import HapticBridge

struct Actuator: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and configure the actuators of a board.",
        subcommands: [Set.self, Show.self, Save.self, Lock.self, List.self])
}

/// Which of a board's actuators a verb is about.
struct ActuatorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The actuator's number on the board.", valueName: "number"))
    var actuator: UInt8 = 0

    /// The actuator's state once it has settled. Throws `ToolError` if the board has no such actuator.
    func status(on board: HapticBoard) throws -> ActuatorStatus {
        try board.checkActuator(Int(actuator))
        return try board.waitUntilSettled(actuator)
    }

    /// The same of one that can be driven. Throws `ToolError` if it is not configured or in fault.
    func drivable(on board: HapticBoard) throws -> ActuatorStatus {
        let status = try status(on: board)
        if status.state == .unconfigured { throw ToolError(unconfigured: actuator, at: board.path) }
        guard status.state == .fault else { return status }
        throw ToolError(undrivable: actuator, of: board, try board.status().faults)
    }
}

extension ToolError {
    /// A board that can keep nothing without power.
    init(noMemoryAt path: String) {
        self.init(.usage, "\(path): the board has no memory that survives without power")
    }
}

extension HapticBoard {
    /// Throws `ToolError` if the board has no actuator of this number.
    func checkActuator(_ number: Int) throws(ToolError) {
        guard number < welcome.actuators else {
            throw ToolError(
                .usage, "\(path): no actuator \(number)",
                advice: "the board has \(welcome.actuators), counted from 0")
        }
    }
}
