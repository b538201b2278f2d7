// BoardRendering: the way in which patterns are rendered for the actuators of a board that play.

import BridgeLink
import HapticBridge
import HapticCompiler
import Prediction

/// The actuators of a board that play, and the profile for which patterns are compiled.
struct BoardRendering {
    /// The configurations of the actuators that play, in the order of their numbers.
    let configurations: [ActuatorConfiguration]
    /// The profile for which patterns are compiled.
    let profile: DeviceProfile
    let options: CompilerOptions

    /// Asks a board for its actuators.
    ///
    /// - Parameter profile: the profile to use instead of the actuators' own; nil for theirs.
    init(
        of board: HapticBoard, _ mask: ActuatorMask, profile: DeviceProfile?,
        options: CompilerOptions
    ) throws {
        configurations = try mask.indices.map { try board.link.configuration(ofActuator: $0) }
            .filter { $0.kind != .none }
        self.profile = profile ?? DeviceProfile(of: configurations) ?? .reference
        self.options = options
    }

    /// The longest stream for which it is predicted what is felt, in microseconds: five minutes, so
    /// that the prediction does not delay the start.
    private static let predictedMax: Int64 = 300_000_000

    /// Returns a pattern compiled for the board, with a prediction of what is felt of it on the
    /// first actuator.
    func rendered(_ pattern: PatternFile) -> PatternFile {
        var rendered = pattern.compiled(for: profile, options: options)
        guard let source = rendered.pattern, let configuration = configurations.first,
            rendered.renderedDuration <= Self.predictedMax
        else { return rendered }
        let felt = FeltAcceleration(
            of: rendered.events, tick: rendered.tick, on: configuration,
            for: rendered.renderedDuration + FeltFidelity.tail)
        rendered.felt = FeltFidelity(
            felt, lead: rendered.lead, on: configuration, of: source, options: options)
        return rendered
    }
}
