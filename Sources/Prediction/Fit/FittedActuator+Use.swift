// The use of a fitted actuator: the configuration of a board, and a profile.

import BridgeLink
import DRV2605
import HapticCompiler

extension FittedActuator {
    /// Returns a configuration with the fitted motion. The voltages, limits and registers of the
    /// configuration are unchanged.
    public func applied(to configuration: ActuatorConfiguration) -> ActuatorConfiguration {
        var fitted = configuration
        let rated = Double(configuration.rated) / 1_000
        fitted.plant = ActuatorPlant(
            timeConstant: timeConstant.value, acceleration: acceleration.value,
            startVoltage: (start?.value ?? 0) * rated, runningVoltage: (running?.value ?? 0) * rated
        )
        return fitted
    }

    /// Returns a profile with the fitted motion.
    ///
    /// - Parameter profile: the profile of the configured actuator with the fitted motion.
    public func applied(to profile: DeviceProfile) -> DeviceProfile {
        var fitted = profile
        if let loopGain { fitted.plant?.loopGain = loopGain.value }
        fitted.isMeasured = true
        return fitted
    }

    /// The maximum fraction by which the ratio of measured to fitted acceleration may change
    /// without being reported.
    private static let leastShape = 0.05

    /// A description of the remaining difference, in sentences; empty if there is no such
    /// difference.
    public var shape: [String] {
        func percent(_ ratio: Double) -> String {
            let deviation = Int((100 * (ratio - 1)).rounded())
            return deviation < 0 ? "\(-deviation) % weaker" : "\(deviation) % stronger"
        }
        // Weak levels are too close to the noise for a ratio.
        let known = levels.filter { $0.level >= Self.leastLevel }
        var sentences: [String] = []
        if let full = known.first, let last = known.last, known.count > 1, full.level == last.level,
            abs(last.ratio / full.ratio - 1) > Self.leastShape
        {
            sentences.append(
                "after repeated drive, the same level is \(percent(last.ratio / full.ratio))")
        }
        let bent = known.filter { abs($0.ratio - 1) > Self.leastShape }
        if let worst = bent.max(by: { abs($0.ratio - 1) < abs($1.ratio - 1) }) {
            sentences.append(
                "at \(Int((100 * worst.level).rounded())) % of full level, the actuator is "
                    + "\(percent(worst.ratio)) than the model")
        }
        return sentences
    }

    private static let leastLevel = 0.25
}
