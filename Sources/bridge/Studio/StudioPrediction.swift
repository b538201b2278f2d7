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
    /// The most kinds of losses that are told of, and the most places of them.
    private static let kindsMax = 200
    private static let placesMax = 2_000
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
            "losses": .array(Self.kinds(of: losses, file.report)),
            "lossCount": .number(losses.count), "eventCount": .number(read.pattern.events.count),
            "energy": Self.energy(of: file, configuration),
        ]
    }

    private static func trace(_ felt: FeltAcceleration, _ lead: Microseconds) -> Trace {
        var trace = Trace()
        for (index, sample) in felt.samples.enumerated() {
            trace.append(Microseconds(index) * FeltAcceleration.step - lead, sample)
        }
        return trace
    }

    /// An event that is not felt as designed, and why.
    private struct Loss {
        let event: HapticEvent
        let reason: String

        var place: JSONValue {
            ["time": .time(event.time), "duration": .time(event.length ?? 0)]
        }
    }

    private static func losses(
        of pattern: HapticPattern, _ report: LoweringReport?, _ felt: FeltFidelity
    ) -> [Loss] {
        let items = (report?.items ?? []).filter { $0.rule != .sharpnessNotRendered }
        let findings = Dictionary(grouping: items, by: \.event)
        return pattern.events.indices.compactMap { index in
            let reasons =
                (findings[index] ?? []).map(\.message)
                + [felt.remark(onEvent: index, of: pattern)].compactMap(\.self)
            guard !reasons.isEmpty else { return nil }
            return Loss(event: pattern.events[index], reason: reasons.joined(separator: "; "))
        }
    }

    /// Counts the losses by what is said of them. A sharpness that no event can have is a loss with one
    /// place, and not with that of each event.
    private static func kinds(of losses: [Loss], _ report: LoweringReport?) -> [JSONValue] {
        let byReason = Dictionary(grouping: losses, by: \.reason)
        var seen: Set<String> = []
        let reasons = losses.map(\.reason).filter { seen.insert($0).inserted }
        var room = placesMax
        let kinds = reasons.prefix(kindsMax).map { reason -> JSONValue in
            let losses = byReason[reason] ?? []
            let places = losses.prefix(max(room, 1)).map(\.place)
            room -= places.count
            return [
                "message": .string(reason), "count": .number(losses.count),
                "places": .array(places),
            ]
        }
        let sharpness = report?.items(of: .sharpnessNotRendered) ?? []
        guard let first = sharpness.first else { return kinds }
        return kinds + [
            [
                "message": .string(first.message), "count": .number(sharpness.count),
                "places": [["time": .time(first.time), "duration": .time(0)]],
            ]
        ]
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
