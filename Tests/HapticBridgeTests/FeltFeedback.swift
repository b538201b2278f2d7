// FeltFeedback: the perceived pulses of the named patterns on nominal actuators and on actuators
// that deviate from their configuration.

import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import Prediction
import TestSupport
import Testing

/// The perceived pulses of the named patterns.
enum FeltFeedback {
    /// An actuator, and the settings for playing a pattern on the actuator.
    struct Condition: CustomTestStringConvertible, Sendable {
        /// The configuration of the board.
        let configuration: ActuatorConfiguration
        /// The time constant of the actuator, divided by the time constant of its configuration.
        let slowness: Double
        /// The alignment: the tool and the engine choose different alignments.
        let alignment: DriveAlignment

        /// The minimum difference between two patterns in a family, in just-noticeable differences.
        /// The minimum is smaller if the time constant differs from the configured time constant.
        var leastDifference: Double { slowness == 1 ? 1.5 : 1 }

        /// The minimum difference between any two patterns, in just-noticeable differences.
        var leastDifferenceOfFamilies: Double { slowness == 1 ? 1 : 0.5 }

        var testDescription: String {
            "\(configuration.name), time constant × \(slowness), \(alignment)"
        }
    }

    /// Coin actuators of both types, each with the configured time constant, a smaller time
    /// constant and a larger time constant.
    static let conditions: [Condition] = [ActuatorConfiguration.coinLRA, .coinERM].flatMap { coin in
        [1, 0.75, 1.25].flatMap { slowness in
            DriveAlignment.allCases.map {
                Condition(configuration: coin, slowness: slowness, alignment: $0)
            }
        }
    }

    /// Returns the pulses perceived when a board plays a pattern.
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
