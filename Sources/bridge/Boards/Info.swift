// bridge info: shows a board, its actuators and its faults.

import ArgumentParser
import BridgeLink
import HapticBridge
import JSONText
import ToolSupport

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a board, its actuators and its faults.",
        discussion: """
            Shows the board, its counters since it started, and every actuator with its \
            configuration. The board does not drive an actuator that is not configured; for such \
            an actuator, the command that configures it is shown.

            Examples:
              bridge info
              bridge info --virtual --json
            """)

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        try board.withBoard(.shared) { board in
            let actuators = try board.waitUntilSettled().map {
                try ActuatorFacts(status: $0, on: board)
            }
            let status = try board.status()
            try show(board, status, actuators, accelerometer(of: board))
            for actuator in actuators where actuator.isUnconfigured {
                output.remark(ToolError(unconfigured: actuator.status.actuator, at: board.path))
            }
        }
    }

    /// Returns the accelerometer of a board, which may be none; nil if the firmware does not support
    /// accelerometers.
    private func accelerometer(of board: HapticBoard) throws -> SensorKind? {
        do {
            return try board.sensor()
        } catch RecordingError.noSensor {
            return SensorKind.none
        } catch RecordingError.unsupported {
            return nil
        }
    }

    private func show(
        _ board: HapticBoard, _ status: Status, _ actuators: [ActuatorFacts],
        _ accelerometer: SensorKind?
    ) throws {
        let localities = HapticLocality.supported(by: actuators.map(\.status)).map(\.rawValue)
        var facts = BoardFacts.table(board.welcome, path: board.path)
        if actuators.count > 1 { facts.append("localities", localities.joined(separator: ", ")) }
        if let accelerometer { facts.append("sensor", "\(accelerometer)") }
        let tables = [facts, StatusFacts.table(status)]
        try output.result(
            [
                "schema": "bridge.info/1",
                "port": .string(board.path),
                "board": BoardFacts.json(board.welcome),
                "status": StatusFacts.json(status),
                "accelerometer": accelerometer.map(JSONValue.name) ?? nil,
                "localities": .array(localities.map { .string($0) }),
                "actuators": .array(actuators.map(\.json)),
            ],
            text: (tables + actuators.map(\.table)).map(\.text).joined(separator: "\n\n"))
    }
}
