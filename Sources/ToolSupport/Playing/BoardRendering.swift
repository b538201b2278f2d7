// BoardRendering: compiles patterns for the actuators that play on a board, and predicts the
// result.

import BoardEngine
import BridgeLink
import HapticBridge
import HapticCompiler
import Prediction

/// The actuators that play on a board, and the profile for which patterns are compiled.
package struct BoardRendering {
    /// The configurations of the playing actuators, in the order of their numbers.
    package let configurations: [ActuatorConfiguration]
    /// The profile for which patterns are compiled.
    package let profile: DeviceProfile
    package let options: CompilerOptions
    /// The gain of the board, 0...1; at 0, nothing is felt.
    package let gain: Double
    /// True if patterns are compiled for a profile that was given instead of the profile of the
    /// actuators.
    package let isOverridden: Bool
    /// True if all configured actuators of the board are playing.
    package let isWhole: Bool

    /// Creates the rendering by querying a board for its actuators.
    ///
    /// - Parameter profile: the profile to use; nil to use the profile of the actuators.
    package init(
        of board: HapticBoard, _ mask: ActuatorMask, profile: DeviceProfile?,
        options: CompilerOptions, gain: Double
    ) throws {
        let configured = try board.actuatorMask.indices.map {
            (actuator: $0, configuration: try board.link.configuration(ofActuator: $0))
        }.filter { $0.configuration.kind != .none }
        configurations = configured.filter { mask.indices.contains($0.actuator) }
            .map(\.configuration)
        isOverridden = profile != nil
        isWhole = configurations.count == configured.count
        self.profile = profile ?? DeviceProfile(of: configurations) ?? .reference
        self.options = options
        self.gain = gain
    }

    /// Creates the rendering for the actuators of an engine.
    package init(of board: StartedBoard, options: CompilerOptions, gain: Double) {
        configurations = board.configurations.filter { $0.kind != .none }
        isOverridden = false
        isWhole = configurations.count == board.actuators.count { $0.kind != .none }
        profile = DeviceProfile(of: configurations) ?? .reference
        (self.options, self.gain) = (options, gain)
    }

    /// Returns a pattern compiled for the board, with a prediction for the actuator that renders it
    /// worst.
    package func rendered(_ pattern: PatternFile) -> PatternFile {
        var rendered = pattern.compiled(for: profile, options: options)
        guard gain > 0, let source = rendered.pattern else { return rendered }
        var models: [ActuatorConfiguration] = []
        for configuration in configurations where !models.contains(configuration) {
            models.append(configuration)
        }
        rendered.felt = models.map { configuration in
            let felt = FeltAcceleration(
                of: rendered.events, tick: rendered.tick, on: configuration,
                band: configuration.band == nil ? nil : profile.band, gain: gain,
                for: rendered.renderedDuration + FeltFidelity.tail)
            return FeltFidelity(
                felt, of: rendered, source, on: configuration, options: options, gain: gain)
        }.max { ($0.notAsDesigned, $0.meanJND) < ($1.notAsDesigned, $1.meanJND) }
        return rendered
    }
}
