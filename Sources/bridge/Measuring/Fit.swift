// bridge fit: determines, with the accelerometer of the board, how an actuator moves.

import ArgumentParser
import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import JSONText
import Prediction
import ToolSupport

struct Fit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit",
        abstract: "Measure how an actuator moves, and render patterns for it.",
        discussion: """
            The board needs an accelerometer next to the actuator. The actuator vibrates several \
            times, within the limits of its configuration, for about five (LRA) or twenty seconds \
            (ERM). The command determines its resonance or speed, its time constant, its \
            acceleration and, for an ERM, the voltages at which it starts and turns, and tests \
            these values with another pattern. If they explain it, they are stored on the board, \
            so that every program renders for the measured actuator, and in a profile that can be \
            copied to other computers.

            Accelerations apply to the position of the sensor, to its axis and to the mounting. \
            Mount the actuator as it will be used. Ctrl-C stops it.

            Examples:
              bridge fit --name left-hand
              bridge fit --name desk --mounting "wax, on 120 g of aluminium" --axis x
              bridge explain --profile left-hand pattern.ahap
            """)

    @Option(
        help: ArgumentHelp(
            "The name of the profile: letters, digits, - and _.",
            discussion: """
                The file is haptic-bridge/profiles/NAME.json in XDG_CONFIG_HOME or in ~/.config. \
                An existing profile with this name is replaced.
                """))
    var name: String

    @Option(help: "The axis of the accelerometer: x, y or z. Default: the axis that moves most.")
    var axis: SensorAxis?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The gain of the accelerometer, if it has been calibrated by gravity.",
            discussion: """
                `bridge measure --orient` determines the gain. Without a calibration, the gain is \
                uncertain by up to 10 %, and so is the acceleration of the actuator; all other \
                values do not depend on it.
                """))
    var gain: Double?

    @Option(help: ArgumentHelp("A note about the mounting, for the profile.", valueName: "text"))
    var mounting: String?

    @OptionGroup var chosen: ActuatorOptions
    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard StoredProfile(name).isValid else {
            throw ValidationError(
                "--name must be 1 to 64 letters, digits, - or _, and not the name of a built-in profile."
            )
        }
        guard gain.map({ 0.8...1.2 ~= $0 }) ?? true else {
            throw ValidationError("--gain must be 0.8 to 1.2.")
        }
    }

    func run() throws {
        try board.withBoard { board in
            let prefix = "\(board.path): actuator \(chosen.actuator): "
            do {
                try run(on: board, prefix)
            } catch let error as FitError {
                throw ToolError(error, prefix: prefix)
            }
        }
    }
}

extension Fit {
    private func run(on board: HapticBoard, _ prefix: String) throws {
        _ = try chosen.drivable(on: board)
        let configuration = try board.link.configuration(ofActuator: chosen.actuator)
        let measurement = FitMeasurement(
            board, chosen.actuator, configuration, gain: gain, note: output.detail)
        let result = try Interruption.measuring { try measurement.fit(axis) }
        let (fit, explanation) = (result.fit, result.explanation)
        guard !explanation.isMisfit else {
            output.remark(FitFacts(fit, explanation, configuration).table.text)
            throw ToolError(
                misfit: explanation.unexplained, kind: configuration.kind, prefix: prefix)
        }
        let fitted = fit.applied(to: configuration)
        let (status, isSaved) = try board.configure(chosen.actuator, fitted)
        let profile = StoredProfile(name)
        try profile.write(file(fit, explanation, fitted, result.origin, board).bytes)
        let facts = FitFacts(fit, explanation, fitted)
        let actuator = try ActuatorFacts(status: status, on: board)
        try output.result(
            [
                "schema": "bridge.fit/1", "board": .string(board.path),
                "profile": .string(profile.path), "saved": .bool(isSaved),
                "sensor": .string("\(result.sensor)"), "axis": .string("\(result.axis)"),
                "fit": facts.json, "actuator": actuator.json,
            ],
            text:
                "\(prefix)fitted by the \(result.sensor), axis \(result.axis)\n\(facts.table.text)\n"
                + "stored as the profile \(name)" + (isSaved ? " and on the board" : ""))
        for sentence in fit.shape + facts.remarks { output.remark("\(prefix)\(sentence)") }
    }

    private func file(
        _ fit: FittedActuator, _ explanation: FitExplanation, _ fitted: ActuatorConfiguration,
        _ origin: [(name: String, text: String)], _ board: HapticBoard
    ) -> FitProfile {
        var profile = fit.applied(to: DeviceProfile(of: fitted))
        profile.name = name
        let date = Date().formatted(.iso8601)
        profile.description = "Measured on \(date.prefix(10)) on a board."
        var members = [("date", date), ("board", "\(board.welcome.kind)")]
        if !fitted.name.isEmpty { members.append(("actuator", fitted.name)) }
        members += origin.map { ($0.name, $0.text) }
        members.append(("sensorGain", gain?.text(decimals: 3) ?? "not calibrated"))
        if let mounting { members.append(("mounting", mounting)) }
        return FitProfile(
            profile, origin: members.map { (name: $0.0, text: $0.1) }, fit: fit,
            explanation: explanation)
    }
}
