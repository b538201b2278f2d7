// StudioPrediction: predicts the motion of an actuator for a pattern.

import AHAP
import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import ToolSupport

/// Computes predictions for actuators.
enum StudioPrediction {
    /// The maximum number of reported kinds of losses, and the maximum number of positions of all
    /// kinds together. Each kind has at least one position.
    private static let kindsMax = 200
    private static let occurrencesMax = 2_000
    /// The maximum number of points of the energy curve.
    private static let energyMax: Microseconds = 500

    /// Returns the predictions for the actuator of a board or, without a board, for a coin actuator
    /// of each kind.
    static func all(
        of read: AHAPReader.Result, for rendering: BoardRendering?
    ) -> [StudioMessages.Prediction] {
        if let rendering, let configuration = rendering.configurations.first {
            return [prediction(of: read, on: configuration, rendering.profile, .board)]
        }
        return [
            prediction(of: read, on: .coinLRA, DeviceProfile(of: .coinLRA), .lra),
            prediction(of: read, on: .coinERM, DeviceProfile(of: .coinERM), .erm),
        ]
    }

    private static func prediction(
        of read: AHAPReader.Result, on configuration: ActuatorConfiguration,
        _ profile: DeviceProfile, _ kind: StudioMessages.PredictionKind
    ) -> StudioMessages.Prediction {
        let file = PatternFile(name: "", read, profile, CompilerOptions())
        let length = file.renderedDuration + FeltFidelity.tail
        let felt = FeltAcceleration(
            of: file.events, tick: file.tick, on: configuration, band: profile.band, for: length)
        let fidelity = FeltFidelity(
            felt, of: file, read.pattern, on: configuration, options: CompilerOptions())
        let points = felt.trace(from: -file.lead, until: length).reduced(
            to: StudioAnalyst.pointsMax / 4, of: length)
        let losses = losses(of: read.pattern, file.report, fidelity)
        return StudioMessages.Prediction(
            actuator: StudioActuator.text(configuration), kind: kind,
            rated: felt.rated.toFourDecimals,
            times: points.map(\.time.seconds), acceleration: points.map(\.value.toFourDecimals),
            losses: kinds(of: losses, file.report), lossCount: losses.count,
            eventCount: read.pattern.events.count, energy: energy(of: file, configuration))
    }

    /// An event that is not felt as designed, and the reason.
    private struct Loss {
        let event: HapticEvent
        let reason: String

        var occurrence: StudioMessages.Occurrence {
            .init(time: event.time.seconds, duration: (event.length ?? 0).seconds)
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

    /// Groups the losses by their message. All events whose sharpness cannot be rendered form a
    /// single loss with a single position.
    private static func kinds(
        of losses: [Loss], _ report: LoweringReport?
    ) -> [StudioMessages.Loss] {
        let byReason = Dictionary(grouping: losses, by: \.reason)
        var seen: Set<String> = []
        let reasons = losses.map(\.reason).filter { seen.insert($0).inserted }
        var room = occurrencesMax
        let kinds = reasons.prefix(kindsMax).map { reason -> StudioMessages.Loss in
            let losses = byReason[reason] ?? []
            let occurrences = losses.prefix(max(room, 1)).map(\.occurrence)
            room -= occurrences.count
            return .init(message: reason, count: losses.count, places: occurrences)
        }
        let sharpness = report?.items(of: .sharpnessNotRendered) ?? []
        guard let first = sharpness.first else { return kinds }
        return kinds + [
            .init(
                message: first.message, count: sharpness.count,
                places: [.init(time: first.time.seconds, duration: 0)])
        ]
    }

    /// Returns the used fraction of the energy budget over time; nil if the actuator has no energy
    /// limit.
    private static func energy(
        of file: PatternFile, _ configuration: ActuatorConfiguration
    ) -> StudioMessages.Energy? {
        let budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
        let use = budget.use(
            in: file.events, tick: file.tick, every: file.renderedDuration / energyMax
        ) { configuration.tapLength(sharpness: $0) }
        guard !use.isEmpty else { return nil }
        return .init(
            times: use.map { max(0, $0.time - file.lead).seconds },
            level: use.map(\.fraction.toFourDecimals)
        )
    }
}

/// Describes the actuators of the board as text.
enum StudioActuator {
    /// Returns a description of the actuator that the predictions describe.
    static func text(_ rendering: BoardRendering?) -> String {
        guard let rendering else { return "no board; a coin LRA and a coin ERM are predicted" }
        return rendering.configurations.first.map(text) ?? "an actuator that is not set up"
    }

    static func text(_ configuration: ActuatorConfiguration) -> String {
        let kind = "\(configuration.kind)"
        guard configuration.kind == .lra else { return kind }
        return "\(kind) of \((Double(configuration.resonance) / 10).text(decimals: 0)) Hz"
    }
}
