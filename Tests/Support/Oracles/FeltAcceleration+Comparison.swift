// FeltAcceleration+Comparison: the acceleration that is felt when a board plays a pattern.

import BridgeLink
import DRV2605
import HapticCompiler
import HapticPatterns
import Prediction
import VirtualBoard

extension FeltAcceleration {
    /// Computes the acceleration that is felt when a board plays a pattern.
    ///
    /// - Parameters:
    ///   - profile: the profile for which the pattern is compiled.
    ///   - configuration: the configuration of the board and, unless `actuator` is given, of the
    ///     actuator.
    ///   - actuator: the actuator, if it differs from the configured one.
    public init(
        of pattern: HapticPattern, profile: DeviceProfile,
        on configuration: ActuatorConfiguration, actuator: ActuatorConfiguration? = nil,
        alignment: DriveAlignment = .felt
    ) throws {
        let compiled = HapticCompiler.compile(
            pattern, profile: profile, options: CompilerOptions(alignment: alignment))
        try self.init(of: compiled, on: configuration, actuator: actuator)
    }

    /// Computes the acceleration that is felt when a board plays a compiled pattern.
    public init(
        of compiled: CompiledPattern, on configuration: ActuatorConfiguration,
        actuator: ActuatorConfiguration? = nil
    ) throws {
        let rehearsal = try Rehearsal(
            of: compiled.bytes, tick: Int(compiled.tick), length: compiled.renderedDuration,
            on: configuration)
        self.init(
            of: rehearsal.drive, on: actuator ?? configuration,
            for: compiled.renderedDuration + 500_000)
    }
}
