// FeltFeedback: the pulses of the named patterns on actuators as they are and as they may be.

import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import Prediction
import TestSupport
import Testing

/// The named patterns as they are felt.
enum FeltFeedback {
    /// An actuator, and the way in which a pattern is played on it.
    struct Condition: CustomTestStringConvertible, Sendable {
        /// The configuration of the board.
        let configuration: ActuatorConfiguration
        /// The time constant of the actuator, over that of the configuration.
        let slowness: Double
        /// The choice of the tool or that of the engine.
        let alignment: DriveAlignment

        /// The difference that two patterns of a family have at least, in just-noticeable
        /// differences. What is planned for another actuator may come out nearer.
        var leastDifference: Double { slowness == 1 ? 1.5 : 1 }

        /// The difference that any two patterns have at least, in just-noticeable differences.
        var leastDifferenceOfFamilies: Double { slowness == 1 ? 1 : 0.5 }

        var testDescription: String {
            "\(configuration.name), time constant × \(slowness), \(alignment)"
        }
    }

    /// The coins of both kinds, as configured, quicker and slower.
    static let conditions: [Condition] = [ActuatorConfiguration.coinLRA, .coinERM].flatMap { coin in
        [1, 0.75, 1.25].flatMap { slowness in
            DriveAlignment.allCases.map {
                Condition(configuration: coin, slowness: slowness, alignment: $0)
            }
        }
    }

    /// Returns the pulses that are felt when a board plays a pattern.
    static func pulses(
        of feedback: SystemFeedback, _ condition: Condition
    ) throws -> [FeltPulse] {
        var actuator = condition.configuration
        actuator.plant.timeConstant *= condition.slowness
        return try FeltAcceleration(
            of: feedback.pattern.value, profile: DeviceProfile(of: condition.configuration),
            on: condition.configuration, actuator: actuator, alignment: condition.alignment
        ).pulses
    }
}
