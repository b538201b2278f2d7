// Figures of the named patterns on the modelled actuators. They are predictions: no actuator was
// measured.

import BridgeLink
import HapticBridge
import Prediction
import TestSupport

enum FeedbackFigures {
    static func print() throws {
        note(
            "named patterns: peaks in g, and the valleys between them in % of the weaker neighbour")
        var deepest = 0.0
        for feedback in SystemFeedback.allCases {
            for kind in [ActuatorKind.lra, .erm] {
                let pulses = try FeltAcceleration(of: feedback.pattern.value, on: kind).pulses
                let peaks = pulses.map { ($0.peak * 100).rounded() / 100 }
                let valleys = pulses.dropFirst().map { Int(($0.valley * 100).rounded()) }
                note("  \(feedback.rawValue) \(kind): \(peaks) \(valleys)")
                deepest = max(deepest, pulses.map(\.valley).max() ?? 0)
            }
        }
        printFigure("feedback_valley_percent_max", deepest * 100, "%")
    }
}
