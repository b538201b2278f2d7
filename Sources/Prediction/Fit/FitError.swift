// FitError: the reason why the motion of an actuator could not be determined.

/// A reason why the motion of an actuator could not be determined.
public enum FitError: Error, Hashable, Sendable {
    /// The fit does not support the configuration: an LRA in open loop.
    case unsupported
    /// The record does not begin at rest.
    case noRest
    /// The acceleration exceeded the range of the sensor, in g.
    case clipped(range: Double)
    /// The sensor measured no vibration above its noise. The vibration and the noise are root mean
    /// squares, in g.
    case noMotion(measured: Double, noise: Double)
    /// The noise at rest is too strong, in g.
    case noise(Double)
    /// The energy budget of the actuator has limited the level.
    case limited
    /// An actuator with a band vibrates at another frequency than its drive, in hertz.
    case otherFrequency(drive: Double, measured: Double)
    /// No model explains the vibration.
    case noModel
}

extension FitError: CustomStringConvertible {
    public var description: String {
        func text(_ value: Double) -> String { "\((value * 1_000).rounded() / 1_000) g" }
        return switch self {
        case .unsupported:
            "an LRA in open loop cannot be fitted"
        case .noRest:
            "the record does not show the actuator at rest before the excitation"
        case .clipped(let range):
            "the acceleration exceeds the sensor's range of \(text(range))"
        case .noMotion(let measured, let noise):
            "no vibration was measured above the noise: \(text(measured)), "
                + "with a noise of \(text(noise))"
        case .noise(let noise):
            "the sensor's noise at rest is \(text(noise)), which is too strong for a fit"
        case .limited: "the energy budget of the actuator has limited the level"
        case .otherFrequency(let drive, let measured):
            "the drive has \(Int(drive.rounded())) Hz, but the actuator vibrates at "
                + "\(Int(measured.rounded())) Hz"
        case .noModel:
            "no model of this kind of actuator explains the measured vibration"
        }
    }
}
