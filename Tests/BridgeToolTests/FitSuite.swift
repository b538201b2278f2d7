// FitSuite: a suite that runs `bridge fit`, for suites with the trait `.virtualTool`.

import BridgeLink
import HapticBridge
import TestSupport
import Testing

@testable import bridge

/// A suite of tests of `bridge fit`. Each test has its own folder for profiles.
protocol FitSuite {
    /// The user's folder for configurations.
    var folder: Folder { get }
}

extension FitSuite {
    func tool(_ arguments: String...) throws -> Outcome { try tool(arguments) }

    func tool(_ arguments: [String]) throws -> Outcome { try started(arguments).outcome() }

    func started(_ arguments: [String]) throws -> RunningTool {
        try RunningTool(
            Tool.executable("bridge"), arguments,
            environment: ["XDG_CONFIG_HOME": folder.url.path])
    }

    /// Returns a fit that is driving the actuator of a board.
    func drivingFit(on board: LiveBoard) throws -> RunningTool {
        let fit = try started(["fit", "--port", board.port, "--name", "desk"])
        #expect(wait { board.level > 0 })
        return fit
    }

    /// Returns the path of a profile.
    func profile(_ name: String) -> String {
        folder.path("haptic-bridge/profiles/\(name).json")
    }

    /// Returns the configuration of the actuator of a board, as text.
    func shown(_ board: LiveBoard) throws -> String {
        try tool("actuator", "show", "--port", board.port).output
    }

    /// Returns the measurement of the actuator of a board.
    func measurement(
        _ board: HapticBoard, _ configuration: ActuatorConfiguration, gain: Double? = 1
    ) -> FitMeasurement {
        FitMeasurement(board, 0, configuration, gain: gain, note: { _ in }, warn: { _ in })
    }
}
