// bridge actuator show, save and list.

import ArgumentParser
import BridgeLink
import HapticBridge
import JSONText
import ToolSupport

extension Actuator {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the configuration of an actuator and the registers of its driver.",
            discussion: """
                Example:
                  bridge actuator show --json
                """)

        @OptionGroup var chosen: ActuatorOptions
        @OptionGroup(title: "Board options") var board: BoardOptions
        @OptionGroup(title: "Output options") var output: OutputOptions

        func run() throws {
            try board.withBoard(.shared) { board in
                let facts = try ActuatorFacts(status: chosen.status(on: board), on: board)
                try output.result(
                    [
                        "schema": "bridge.actuator/1", "board": .string(board.path),
                        "actuator": facts.json,
                    ],
                    text: facts.fullTable.text)
                if facts.isUnconfigured {
                    output.remark(ToolError(unconfigured: chosen.actuator, at: board.path))
                }
            }
        }
    }

    struct Save: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Store the current configuration of an actuator on the board.",
            discussion: """
                `bridge actuator set` and `bridge calibrate` store the configuration themselves; \
                other programs may not.
                """)

        @OptionGroup var chosen: ActuatorOptions
        @OptionGroup(title: "Board options") var board: BoardOptions
        @OptionGroup(title: "Output options") var output: OutputOptions

        func run() throws {
            try board.withBoard(.shared) { board in
                _ = try chosen.drivable(on: board)
                guard board.welcome.features.contains(.storage) else {
                    throw ToolError(noMemoryAt: board.path)
                }
                guard try board.save(chosen.actuator) else {
                    throw ToolError(
                        "\(board.path): actuator \(chosen.actuator): its configuration is not stored",
                        .storage, of: board)
                }
                try output.result(
                    [
                        "schema": "bridge.stored/1", "board": .string(board.path),
                        "actuator": .number(chosen.actuator),
                    ],
                    text: "\(board.path): actuator \(chosen.actuator): its configuration is stored")
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the actuators that can be configured by name.",
            discussion: """
                Example:
                  bridge actuator set VG1040003D
                """)

        @OptionGroup(title: "Output options") var output: OutputOptions

        func run() throws {
            var table = Table(["NAME", "KIND", "RESONANCE", "RATED", "OVERDRIVE", "WHAT"])
            for part in NamedActuator.all {
                table.append(
                    part.name, "\(part.kind)",
                    part.kind == .lra ? part.resonance.text(decimals: 0) + " Hz" : "-",
                    part.rated.text(decimals: 2) + " V", part.overdrive.text(decimals: 2) + " V",
                    part.description)
            }
            try output.result(
                [
                    "schema": "bridge.actuators/1",
                    "actuators": .array(NamedActuator.all.map(\.json)),
                ],
                text: table.text)
        }
    }
}

extension NamedActuator {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "description": .string(description), "kind": .name(kind),
            "resonance_hz": .tenths(Int((resonance * 10).rounded())),
            "rated_volts": .thousandths(Int((rated * 1000).rounded())),
            "overdrive_volts": .thousandths(Int((overdrive * 1000).rounded())),
            "time_constant_ms": .tenths(Int((timeConstant * 10).rounded())),
            "acceleration_g": .thousandths(Int((acceleration * 1000).rounded())),
            "start_volts": kind == .erm ? .thousandths(Int((startVoltage * 1000).rounded())) : nil,
            "running_volts":
                kind == .erm ? .thousandths(Int((runningVoltage * 1000).rounded())) : nil,
            "sources": JSONValue(
                .object(
                    JSONObject(
                        Figure.allCases.compactMap { figure in
                            sources[figure].map { .init(figure.jsonName, .string($0)) }
                        }))),
        ]
    }
}
