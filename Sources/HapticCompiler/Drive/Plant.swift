// Plant: how an actuator responds to its drive, as far as a plan of the drive needs it.

import CMath
import HapticPatterns

/// The response of an actuator and its driver to a level of the drive.
///
/// The state is one number: the amplitude of an LRA or the speed of an ERM, 1 at the rated voltage.
/// It follows the drive with one time constant. The model is that of `Firmware/model`, without what
/// a plan does not need; real actuators differ from it by a quarter and more, which the rules that
/// use it allow for.
public struct Plant: Sendable, Hashable {
    /// The kind of actuator.
    public enum Kind: Sendable, Hashable {
        /// A linear resonant actuator, whose acceleration is in proportion to its amplitude.
        case lra
        /// An eccentric rotating mass motor, whose acceleration goes with the square of its speed.
        case erm
    }

    /// The kind of actuator.
    public var kind: Kind
    /// The time constant of the amplitude or of the speed, in microseconds, above 0.
    public var timeConstant: Microseconds
    /// The greatest voltage that the driver may use to speed up or to brake, over the rated
    /// voltage; at least 1.
    public var overdrive: Double
    /// Whether the driver regulates the amplitude or the speed, with overdrive and brake.
    public var isClosedLoop: Bool
    /// The voltage from which a motor at rest starts, over the rated voltage; 0 for an LRA.
    public var start: Double
    /// The voltage that the friction of a turning motor takes, over the rated voltage; 0 for an
    /// LRA, at most ``runningMax``.
    public var running: Double
    /// The level of the stream at which an actuator in an open loop gets its rated voltage, 0...1;
    /// 1 in a closed loop.
    public var ratedLevel: Double

    /// The greatest ``running``.
    public static let runningMax = 0.95

    /// Makes a plant.
    public init(
        kind: Kind, timeConstant: Microseconds, overdrive: Double, isClosedLoop: Bool,
        start: Double = 0, running: Double = 0, ratedLevel: Double = 1
    ) {
        self.kind = kind
        self.timeConstant = timeConstant
        self.overdrive = overdrive
        self.isClosedLoop = isClosedLoop
        self.start = start
        self.running = running
        self.ratedLevel = ratedLevel
    }
}

/// Intensities, states and drives.
extension Plant {
    /// The gain of an ERM's closed loop for a speed that is missing. TI names four steps of
    /// LOOP_GAIN and gives no numbers; 1 to 3 are as likely.
    private static let loopGain = 2.0
    /// The gain whose drive is the mean of those that gains of 1 and 3 need to hold a speed.
    private static let holdingGain = 5.0 / 3

    /// The gain of the loop; 0 in an open loop.
    private var gain: Double { isClosedLoop ? Self.loopGain : 0 }

    /// Whether the driver brings the actuator to the level that it is given, so that a longer pulse
    /// is not a stronger one.
    var regulatesAmplitude: Bool { kind == .lra && isClosedLoop }

    /// Returns the state at which an intensity of 0...1 is felt.
    func state(for intensity: Double) -> Double {
        kind == .erm ? intensity.squareRoot() : intensity
    }

    /// Returns the intensity that is felt in a state.
    func intensity(of state: Double) -> Double { kind == .erm ? state * state : state }

    /// Returns the level of the stream that holds a state: the inverse of the static curve.
    func level(holding state: Double) -> Double {
        guard state > 0 else { return 0 }
        let gain = isClosedLoop ? Self.holdingGain : 0
        let voltage = kind == .erm ? ((gain + 1 - running) * state + running) / (1 + gain) : state
        return min(voltage, 1) * ratedLevel
    }

    /// The state that the greatest drive approaches.
    var fastestGoal: Double { isClosedLoop ? goal(at: overdrive) : 1 }

    /// The state that a voltage, over the rated one, approaches.
    private func goal(at voltage: Double) -> Double { (voltage - running) / (1 - running) }
}

/// The response over time. Times are in microseconds.
extension Plant {
    /// Returns the time in which the greatest drive leads from one state to a higher one; infinite
    /// if it does not reach it.
    func rise(from state: Double, to higher: Double) -> Double {
        guard higher > state else { return 0 }
        return approach(from: state, to: fastestGoal, until: higher)
    }

    /// Returns the state after a time under a level of the stream.
    func state(after time: Double, from state: Double, under level: Double) -> Double {
        let drive = level / ratedLevel
        return switch (kind, isClosedLoop) {
        case (.lra, true): regulatedAmplitude(after: time, from: state, target: drive)
        case (.lra, false): approach(from: state, to: drive, after: time)
        case (.erm, _): speed(after: time, from: state, under: drive)
        }
    }

    /// The chip drives an LRA with all that the clamp allows until it has its target.
    private func regulatedAmplitude(
        after time: Double, from amplitude: Double, target: Double
    ) -> Double {
        let goal = amplitude < target ? overdrive : -overdrive
        let reached = approach(from: amplitude, to: goal, after: time)
        return amplitude < target ? min(reached, target) : max(reached, target, 0)
    }

    private func speed(after time: Double, from start: Double, under drive: Double) -> Double {
        var (speed, left) = (start, time)
        if speed < Self.standstill, drive * (1 + gain) < self.start { return 0 }
        if gain > 0 {
            // Up to this speed the clamp limits the voltage, and from the other on the brake.
            let clamped = drive * (1 + gain) / gain - overdrive / gain
            let braked = drive * (1 + gain) / gain + overdrive / gain
            if speed < clamped {
                let needed = approach(from: speed, to: fastestGoal, until: clamped)
                guard needed < left else {
                    return approach(from: speed, to: fastestGoal, after: left)
                }
                (speed, left) = (clamped, left - needed)
            } else if speed > braked {
                let reached = approach(from: speed, to: goal(at: -overdrive), after: left)
                return max(0, reached)
            }
        }
        // The rest is linear: the voltage is drive + gain × (drive - speed).
        let stiffness = (1 - running) / (gain + 1 - running)
        let steady = (drive * (1 + gain) - running) / (gain + 1 - running)
        let decay = math_exp(-left / (Double(timeConstant) * stiffness))
        return max(0, steady + (speed - steady) * decay)
    }

    /// The speed below which a motor stands still.
    private static let standstill = 0.01

    private func approach(from state: Double, to goal: Double, after time: Double) -> Double {
        goal + (state - goal) * math_exp(-time / Double(timeConstant))
    }

    private func approach(from state: Double, to goal: Double, until level: Double) -> Double {
        guard level < goal else { return .infinity }
        return Double(timeConstant) * math_log((goal - state) / (goal - level))
    }
}
