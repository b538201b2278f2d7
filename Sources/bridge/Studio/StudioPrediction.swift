// StudioPrediction: what an actuator is predicted to do of a pattern.

import AHAP
import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import JSONText
import Prediction

/// The prediction for one actuator.
struct StudioPrediction {
    let json: JSONValue

    /// The longest pattern of which the acceleration is predicted, in microseconds: five minutes.
    private static let lengthMax: Microseconds = 300_000_000
    private static let lossesMax = 200
    /// The most points of the energy budget.
    private static let energyMax: Microseconds = 500

    /// Returns the predictions for the actuator of a board, or for a coin actuator of each kind.
    static func all(
        of read: AHAPReader.Result, for rendering: BoardRendering?
    ) -> [StudioPrediction] {
        guard read.pattern.length <= lengthMax else { return [] }
        if let rendering, let configuration = rendering.configurations.first {
            return [Self(of: read, on: configuration, rendering.profile, "board")]
        }
        return [("lra", ActuatorConfiguration.coinLRA), ("erm", .coinERM)].map {
            Self(of: read, on: $1, DeviceProfile(of: $1), $0)
        }
    }

    private init(
        of read: AHAPReader.Result, on configuration: ActuatorConfiguration,
        _ profile: DeviceProfile, _ kind: String
    ) {
        let file = PatternFile(name: "", read, profile, CompilerOptions())
        let length = file.renderedDuration + FeltFidelity.tail
        let felt = FeltAcceleration(
            of: file.events, tick: file.tick, on: configuration, for: length)
        let fidelity = FeltFidelity(
            felt, of: file, read.pattern, on: configuration, options: CompilerOptions())
        let points = Self.trace(felt, file.lead).reduced(
            to: StudioAnalyst.pointsMax / 4, of: length)
        let losses = Self.losses(of: read.pattern, file.report, fidelity)
        json = [
            "type": "prediction", "actuator": .string(StudioActuator.text(configuration)),
            "kind": .string(kind), "rated": .fraction(felt.rated),
            "times": .array(points.map { .time($0.time) }),
            "acceleration": .array(points.map { .fraction($0.value) }),
            "losses": .array(losses),
            "lossCount": .number(losses.count), "energy": Self.energy(of: file, configuration),
        ]
    }

    private static func trace(_ felt: FeltAcceleration, _ lead: Microseconds) -> Trace {
        var trace = Trace()
        for (index, sample) in felt.samples.enumerated() {
            trace.append(Microseconds(index) * FeltAcceleration.step - lead, sample)
        }
        return trace
    }

    /// The losses of what is not felt as designed, an event at a time. A sharpness that no event
    /// can have is one loss, and not one of each event.
    private static func losses(
        of pattern: HapticPattern, _ report: LoweringReport?, _ felt: FeltFidelity
    ) -> [JSONValue] {
        let items = report?.items ?? []
        let sharpness = items.first { $0.rule == .sharpnessNotRendered }.map { item -> JSONValue in
            ["time": .time(item.time), "duration": .time(0), "message": .string(item.message)]
        }
        let findings = Dictionary(
            grouping: items.filter { $0.rule != .sharpnessNotRendered }, by: \.event)
        let losses = pattern.events.indices.compactMap { index -> JSONValue? in
            let reasons =
                (findings[index] ?? []).map(\.message)
                + [felt.remark(onEvent: index, of: pattern)].compactMap(\.self)
            guard !reasons.isEmpty else { return nil }
            let event = pattern.events[index]
            return [
                "time": .time(event.time), "duration": .time(event.length ?? 0),
                "entry": .number(event.location?.entryIndex),
                "message": .string(reasons.joined(separator: "; ")),
            ]
        }
        return losses.prefix(lossesMax) + [sharpness].compactMap(\.self)
    }

    /// The used share of the energy budget over time; null if the actuator has no limit.
    private static func energy(
        of file: PatternFile, _ configuration: ActuatorConfiguration
    ) -> JSONValue {
        let budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
        let use = budget.use(
            in: file.events, tick: file.tick, every: file.renderedDuration / energyMax
        ) { configuration.tapLength(sharpness: $0) }
        guard !use.isEmpty else { return nil }
        return [
            "times": .array(use.map { .time(max(0, $0.time - file.lead)) }),
            "level": .array(use.map { .fraction($0.share) }),
        ]
    }
}

/// The actuators of the board in words.
enum StudioActuator {
    /// The text for a page, of the actuator that predictions are for.
    static func text(_ rendering: BoardRendering?) -> String {
        guard let rendering else { return "no board; a coin LRA and a coin ERM are predicted" }
        return rendering.configurations.first.map(text) ?? "an actuator that is not set up"
    }

    static func text(_ configuration: ActuatorConfiguration) -> String {
        let kind = "\(configuration.kind)".uppercased()
        guard configuration.kind == .lra else { return kind }
        return "\(kind) of \((Double(configuration.resonance) / 10).text(decimals: 0)) Hz"
    }

    /// Asks the board that is served at a port for its actuators.
    static func rendering(at port: String) throws -> BoardRendering? {
        guard let board = try HapticBoard.served(at: port) else { return nil }
        defer { board.close() }
        return try BoardRendering(
            of: board, board.actuatorMask, profile: nil, options: CompilerOptions(), gain: 1)
    }
}
