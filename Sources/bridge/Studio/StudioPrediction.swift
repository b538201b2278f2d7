// StudioPrediction: what an actuator is predicted to do of a pattern.

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

    /// Returns the predictions for the actuators of a board, or for a coin actuator of each kind.
    static func all(
        of pattern: HapticPattern, for rendering: BoardRendering?
    ) -> [StudioPrediction] {
        guard pattern.length <= lengthMax else { return [] }
        if let rendering, let configuration = rendering.configurations.first {
            return [Self(of: pattern, on: configuration, rendering.profile, "board")]
        }
        return [("lra", ActuatorConfiguration.coinLRA), ("erm", .coinERM)].map {
            Self(of: pattern, on: $1, DeviceProfile(of: $1), $0)
        }
    }

    private init(
        of pattern: HapticPattern, on configuration: ActuatorConfiguration,
        _ profile: DeviceProfile, _ kind: String
    ) {
        let compiled = HapticCompiler.compile(
            pattern, profile: profile, options: CompilerOptions())
        let end = Microseconds(compiled.events.last?.tick ?? 0) * compiled.tick
        let felt = FeltAcceleration(
            of: compiled.events, tick: compiled.tick, on: configuration,
            for: end + FeltFidelity.tail)
        var trace = Trace()
        for (index, sample) in felt.samples.enumerated() {
            trace.append(Int64(index) * FeltAcceleration.step - compiled.lead, sample)
        }
        let points = trace.reduced(to: StudioAnalyst.pointsMax / 4, of: end + FeltFidelity.tail)
        let losses = compiled.report.items
        json = [
            "type": "prediction", "actuator": .string(StudioActuator.text(configuration)),
            "kind": .string(kind), "rated": .fraction(felt.rated),
            "times": .array(points.map { .time($0.time) }),
            "acceleration": .array(points.map { .fraction($0.value) }),
            "losses": .array(losses.prefix(Self.lossesMax).map { Self.loss($0, pattern) }),
            "lossCount": .number(losses.count), "energy": nil,
        ]
    }

    private static func loss(
        _ item: LoweringReport.Item, _ pattern: HapticPattern
    ) -> JSONValue {
        let event = pattern.events.indices.contains(item.event) ? pattern.events[item.event] : nil
        return [
            "time": .time(item.time), "duration": .time(event?.length ?? 0),
            "message": .string(item.message),
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
