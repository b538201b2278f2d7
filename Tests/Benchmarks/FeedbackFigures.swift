// Figures of the named patterns on the modeled actuators. These figures are predictions, not
// measurements of an actuator.

import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import Prediction
import TestSupport

enum FeedbackFigures {
    static func print() throws {
        note("named patterns: pulses in % of the rated acceleration, with their lengths in ms")
        for configuration in [ActuatorConfiguration.coinLRA, .coinERM] {
            for family in SystemFeedback.Family.allCases {
                try print(family, on: configuration)
            }
        }
    }

    /// Prints the pulses of the patterns in a family, and the difference between the two most
    /// similar patterns.
    private static func print(
        _ family: SystemFeedback.Family, on configuration: ActuatorConfiguration
    ) throws {
        var felt: [[FeltPulse]] = []
        for feedback in SystemFeedback.allCases where feedback.family == family {
            let pulses = try FeltAcceleration(
                of: feedback.pattern.value, profile: DeviceProfile(of: configuration),
                on: configuration
            ).pulses
            let texts = pulses.map { pulse in
                "\(Int((pulse.level / 2.55).rounded())) % \((pulse.length + 500) / 1_000) ms"
            }
            note("  \(feedback.rawValue) \(configuration.kind): \(texts.joined(separator: ", "))")
            felt.append(pulses)
        }
        let differences = felt.indices.flatMap { index in
            felt.dropFirst(index + 1).map { FeltDifference(felt[index], $0).greatest }
        }
        printFigure(
            "feedback_\(family)_\(configuration.kind)_jnd_min", differences.min() ?? 0, "JND",
            decimals: 2)
    }
}
