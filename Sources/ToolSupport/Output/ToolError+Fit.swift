// ToolError+Fit: errors of the fit of an actuator.

import BridgeLink
import Prediction

extension ToolError {
    /// Creates an error from the reason why an actuator could not be fitted.
    ///
    /// - Parameter prefix: the port of the board and the actuator, with a colon.
    package init(_ error: FitError, prefix: String) {
        let message = "\(prefix)\(error)"
        switch error {
        case .unsupported:
            self.init(
                .usage, message,
                advice: "`bridge actuator show` prints the configuration of the actuator")
        case .noRest:
            self.init(.inputOutput, message, advice: "try again")
        case .clipped:
            self.init(
                .usage, message,
                advice: "mount the accelerometer farther from the actuator, or on a heavier part")
        case .noMotion:
            self.init(
                .actuatorFault, message, advice: Self.mountAdvice, Self.axisAdvice,
                "`bridge diagnose` checks whether the actuator is connected and works")
        case .noise:
            self.init(
                .usage, message,
                advice: "put the board on something soft, and keep hands and fans away from it")
        case .limited: self.init(limitedAt: prefix)
        case .otherFrequency:
            self.init(
                .actuatorFault, message, advice: Self.looseMount,
                "`bridge accept` tests whether the driver follows the frequency")
        case .noModel:
            self.init(.actuatorFault, message, advice: Self.looseMount, Self.otherKind)
        }
    }

    /// Creates an error for an actuator whose level was limited during a measurement.
    ///
    /// - Parameter prefix: the port of the board and a colon.
    package init(limitedAt prefix: String) {
        self.init(
            .busy, "\(prefix)\(FitError.limited)",
            advice: "wait until the actuator has cooled down, and try again",
            "`bridge actuator show` prints the sustained level and the time of full level")
    }

    /// Creates an error for an actuator that no values of the model describe.
    ///
    /// - Parameter unexplained: the unexplained part of a vibration that was not used for the fit.
    package init(misfit unexplained: Double, kind: ActuatorKind, prefix: String) {
        let percent = Int((100 * unexplained).rounded())
        self.init(
            .actuatorFault,
            "\(prefix)the model of an \(kind == .erm ? "ERM" : "LRA") does not explain the measured "
                + "vibration: \(percent) % of another pattern remain unexplained; nothing was stored",
            advice: Self.looseMount, Self.otherKind)
    }

    /// Creates an error for an actuator whose response between the measured frequencies is not that
    /// of its neighbors.
    ///
    /// - Parameter unexplained: the greatest relative difference.
    package init(unevenResponse unexplained: Double, prefix: String) {
        let percent = Int((100 * unexplained).rounded())
        self.init(
            .actuatorFault,
            "\(prefix)between the measured frequencies, the acceleration differs by up to \(percent) % "
                + "from the response; nothing was stored",
            advice: Self.looseMount,
            "if the actuator has a narrow resonance, limit the band to frequencies without it: "
                + "`bridge actuator set --band`")
    }

    /// The advice for an accelerometer that does not sense the motion of the actuator.
    package static let mountAdvice =
        "fix the actuator and the accelerometer firmly to the same rigid part, close to each other"
    /// The advice for an axis along which no motion is sensed.
    package static let axisAdvice = "choose the axis along which the actuator moves with --axis"

    private static let looseMount =
        "\(mountAdvice), because a loose or soft mount moves in its own way"
    private static let otherKind =
        "check with `bridge actuator show` that the configured kind and voltages are those of the actuator"
}
