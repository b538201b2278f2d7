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
            times, within the limits of its configuration, for about five seconds (LRA), nine \
            seconds (wide-band actuator) or twenty seconds (ERM). The command determines its \
            resonance or speed, its time constant, its acceleration and, for an ERM, the voltages \
            at which it starts and turns; for a wide-band actuator, it determines the acceleration \
            at 16 frequencies. It tests these values with another pattern. If they explain that \
            pattern, they are stored on the board, so that every program renders for the measured \
            actuator, and in a profile that can be copied to other computers.

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
        let stored = StoredProfile(name)
        try stored.checkIsWritable()
        let result =
            if let band = configuration.frequencyBand {
                try fitted(measurement.response(axis, in: band), configuration, prefix)
            } else {
                try fitted(measurement.fit(axis), configuration, prefix)
            }
        // The profile is written first, because a board can be configured again from the profile.
        let (status, isSaved) = try Interruption.held {
            try stored.write(file(result, board).bytes)
            return try board.configure(chosen.actuator, result.configuration)
        }
        let actuator = try ActuatorFacts(status: status, on: board, known: result.figures)
        let origin = result.origin
        try output.result(
            [
                "schema": "bridge.fit/1", "board": .string(board.path),
                "profile": .string(stored.path), "saved": .bool(isSaved),
                "sensor": .string("\(origin.sensor)"), "axis": .string("\(origin.axis)"),
                "fit": result.json, "actuator": actuator.json,
            ],
            text:
                "\(prefix)fitted by the \(origin.sensor), axis \(origin.axis)\n\(result.table.text)\n"
                + "stored as the profile \(name)" + (isSaved ? " and on the board" : ""))
        for sentence in result.remarks { output.remark("\(prefix)\(sentence)") }
    }

    /// Returns the result for an LRA or an ERM.
    private func fitted(
        _ measured: (
            fit: FittedActuator, explanation: FitExplanation, origin: FitMeasurement.Origin
        ),
        _ configuration: ActuatorConfiguration, _ prefix: String
    ) throws -> FitResult {
        let (fit, explanation) = (measured.fit, measured.explanation)
        guard !explanation.isMisfit else {
            output.remark(FitFacts(fit, explanation, configuration).table.text)
            throw ToolError(
                misfit: explanation.unexplained, kind: configuration.kind, prefix: prefix)
        }
        let fitted = fit.applied(to: configuration)
        let facts = FitFacts(fit, explanation, fitted)
        return FitResult(
            origin: measured.origin, configuration: fitted,
            profile: fit.applied(to: DeviceProfile(of: fitted)),
            figures: [.timeConstant, .acceleration, .start, .running], values: fit.named,
            unexplained: explanation.unexplained, table: facts.table, json: facts.json,
            remarks: fit.shape + facts.remarks)
    }

    /// Returns the result for an actuator with a band.
    private func fitted(
        _ measured: (response: MeasuredResponse, origin: FitMeasurement.Origin),
        _ configuration: ActuatorConfiguration, _ prefix: String
    ) throws -> FitResult {
        let response = measured.response
        guard !response.isMisfit else {
            output.remark(response.table.text)
            throw ToolError(unevenResponse: response.unexplained, prefix: prefix)
        }
        let fitted = response.applied(to: configuration)
        var profile = DeviceProfile(of: fitted)
        profile.band = response.band
        return FitResult(
            origin: measured.origin, configuration: fitted, profile: profile,
            figures: [.acceleration], accelerations: response.points,
            unexplained: response.unexplained,
            table: response.table, json: response.json,
            remarks: response.remarks(profile: name))
    }

    private func file(_ result: FitResult, _ board: HapticBoard) -> FitProfile {
        var profile = result.profile
        profile.name = name
        let date = Date().formatted(.iso8601)
        profile.description = "Measured on \(date.prefix(10)) on a board."
        var members = [("date", date), ("board", "\(board.welcome.kind)")]
        let name = result.configuration.name
        if !name.isEmpty { members.append(("actuator", name)) }
        members += [("sensor", "\(result.origin.sensor)"), ("axis", "\(result.origin.axis)")]
        members.append(("sensorGain", gain?.text(decimals: 3) ?? "not calibrated"))
        if let mounting { members.append(("mounting", mounting)) }
        return FitProfile(
            profile, origin: members.map { (name: $0.0, text: $0.1) }, values: result.values,
            accelerations: result.accelerations, unexplained: result.unexplained)
    }
}

/// The result of a fit, which is stored and reported.
private struct FitResult {
    var origin: FitMeasurement.Origin
    /// The configuration of the board with the fitted values.
    var configuration: ActuatorConfiguration
    var profile: DeviceProfile
    /// The measured figures of the configuration.
    var figures: Set<NamedActuator.Figure>
    var values: [(name: String, value: FittedActuator.Value, decimals: Int)] = []
    var accelerations: [MeasuredResponse.Point] = []
    var unexplained: Double
    var table: Table
    var json: JSONValue
    var remarks: [String]
}
