// bridge actuator: the parent of the commands that configure and show the actuators of a board.

import ArgumentParser
import BridgeLink
import HapticBridge
import ToolSupport

struct Actuator: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and configure the actuators of a board.",
        subcommands: [Set.self, Show.self, Save.self, Lock.self, List.self])
}

/// The option that selects an actuator of a board.
struct ActuatorOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of the actuator on the board.", valueName: "number"))
    var actuator: UInt8 = 0

    /// Waits until the initialization of the actuator has finished, and returns the state of the
    /// actuator. Throws `ToolError` if the board has no such actuator.
    func status(on board: HapticBoard) throws -> ActuatorStatus {
        try board.checkActuator(Int(actuator))
        return try board.waitUntilSettled(actuator)
    }

    /// Waits until the initialization of the actuator has finished, and returns the state of the
    /// actuator, if it can be driven. Throws `ToolError` if the actuator is not configured or
    /// reports a fault.
    func drivable(on board: HapticBoard) throws -> ActuatorStatus {
        let status = try status(on: board)
        if status.state == .unconfigured { throw ToolError(unconfigured: actuator, at: board.path) }
        guard status.state == .fault else { return status }
        throw ToolError(undrivable: actuator, of: board, try board.status().faults)
    }
}

extension ToolError {
    /// Creates the error for a board that has no non-volatile memory.
    init(noMemoryAt path: String) {
        self.init(.usage, "\(path): the board has no non-volatile memory")
    }
}

extension HapticBoard {
    /// Throws `ToolError` if the board has no actuator with this number.
    func checkActuator(_ number: Int) throws(ToolError) {
        guard number < welcome.actuators else {
            throw ToolError(
                .usage, "\(path): no actuator \(number)",
                advice: "the board has \(Int(welcome.actuators).text("actuator")), counted from 0")
        }
    }
}
