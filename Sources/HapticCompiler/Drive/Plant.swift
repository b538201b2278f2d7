// Plant: a model of an actuator's response to its drive. The model is used to plan the drive.

import CMath
import HapticPatterns

/// The response of an actuator and its driver to the drive level.
///
/// The state is a single number: the amplitude of an LRA or the speed of an ERM, where 1 is the
/// value at the rated voltage. The state follows the drive with one time constant. The model is a
/// simplified form of the model in `Firmware/model`. Real actuators deviate from the model by a
/// quarter or more, and the rules that use the model allow for such deviations.
public struct Plant: Sendable, Hashable, Codable {
    /// The kind of actuator.
    public enum Kind: Sendable, Hashable, Codable {
        /// A linear resonant actuator, whose acceleration is proportional to its amplitude.
        case lra
        /// An eccentric rotating mass motor, whose acceleration is proportional to the square of
        /// its speed.
        case erm
    }

    /// The kind of actuator.
    public var kind: Kind
    /// The time constant of the amplitude or of the speed, in microseconds, above 0.
    public var timeConstant: Microseconds
    /// The maximum voltage with which the driver accelerates or brakes, relative to the rated
    /// voltage; at least 1.
    public var overdrive: Double
    /// True if the driver regulates the amplitude or the speed, using overdrive and braking.
    public var isClosedLoop: Bool
    /// The minimum voltage that starts a motor from rest, relative to the rated voltage; 0 for an
    /// LRA.
    public var start: Double
    /// The voltage that overcomes the friction of a turning motor, relative to the rated voltage;
    /// at most ``runningMax``, and 0 for an LRA.
    public var running: Double
    /// The stream level at which an open-loop driver outputs the rated voltage, 0...1. In a closed
    /// loop, this level is 1.
    public var ratedLevel: Double
    /// The gain with which an ERM's closed loop corrects a deviation of the speed; unused for an LRA and
    /// in an open loop.
    public var loopGain: Double

    /// The loop gain of an actuator that has not been measured. TI documents four steps of
    /// LOOP_GAIN, but no numbers; values from 1 to 3 are plausible.
    public static let typicalLoopGain = 2.0
    /// The maximum value of ``running``.
    public static let runningMax = 0.95

    /// Creates a plant.
    public init(
        kind: Kind, timeConstant: Microseconds, overdrive: Double, isClosedLoop: Bool,
        start: Double = 0, running: Double = 0, ratedLevel: Double = 1,
        loopGain: Double = typicalLoopGain
    ) {
        self.kind = kind
        self.timeConstant = timeConstant
        self.overdrive = overdrive
        self.isClosedLoop = isClosedLoop
        self.start = start
        self.running = running
        self.ratedLevel = ratedLevel
        self.loopGain = loopGain
    }
}

/// Conversions between intensities, states and drives.
extension Plant {
    /// The least loop gain for which a start is planned.
    private var leastGain: Double { loopGain / 2 }

    /// The gain in use; 0 in an open loop.
    private var gain: Double { isClosedLoop ? loopGain : 0 }

    /// True if the driver regulates the amplitude to the level of the drive. In this case, a longer
    /// pulse does not feel stronger.
    var regulatesAmplitude: Bool { kind == .lra && isClosedLoop }

    /// Returns the state in which an intensity of 0...1 is felt.
    func state(for intensity: Double) -> Double {
        kind == .erm ? intensity.squareRoot() : intensity
    }

    /// Returns the intensity that is felt in a state.
    func intensity(of state: Double) -> Double { kind == .erm ? state * state : state }

    /// The stream level that starts a motor even with the lowest loop gain, and even if the start
    /// voltage of the motor is a quarter higher than its data sheet states.
    var startLevel: Double {
        min(1, start * 1.25 / (isClosedLoop ? 1 + leastGain : 1)) * ratedLevel
    }

    /// Returns the stream level that maintains a state: the inverse of the static curve.
    func level(holding state: Double) -> Double {
        guard state > 0 else { return 0 }
        let voltage = kind == .erm ? ((gain + 1 - running) * state + running) / (1 + gain) : state
        return min(voltage, 1) * ratedLevel
    }

    /// The effective time constant of a motor in a closed loop, as a fraction of ``timeConstant``.
    private var stiffness: Double { (1 - running) / (gain + 1 - running) }

    /// Returns the speed up to which the loop drives a motor with its maximum voltage.
    private func clamped(at drive: Double) -> Double { (drive * (1 + gain) - overdrive) / gain }

    /// The speed that counts as the rated speed. This speed is below 1 by a tenth of a
    /// just-noticeable difference.
    private static let nearlyRated = 0.99
    /// The maximum time for which the maximum level drives the actuator to reach a state, in
    /// microseconds. If a motor were driven longer, its tap would be felt for too long.
    private static let longestRise = 62_000.0

    /// Returns the state that the actuator approaches at the given voltage, which is relative to
    /// the rated voltage.
    private func goal(at voltage: Double) -> Double { (voltage - running) / (1 - running) }
}

/// Methods for the response over time. Times are in microseconds.
extension Plant {
    /// Returns the time that the maximum level takes to move the actuator from a state to a higher
    /// state, or ``longestRise`` if the actuator needs more time.
    ///
    /// The loop of a motor reduces the drive as the speed approaches its target, so the motor never
    /// reaches the rated speed.
    func rise(from state: Double, to higher: Double) -> Double {
        min(unlimitedRise(from: state, to: higher), Self.longestRise)
    }

    private func unlimitedRise(from state: Double, to higher: Double) -> Double {
        let higher = kind == .erm && gain > 0 ? min(higher, Self.nearlyRated) : higher
        guard higher > state else { return 0 }
        let goal = isClosedLoop ? self.goal(at: overdrive) : 1
        let clamped = clamped(at: 1)
        guard kind == .erm, gain > 0, higher > clamped else {
            return approach(from: state, to: goal, until: higher)
        }
        let start = max(state, clamped)
        return approach(from: state, to: goal, until: start)
            + Double(timeConstant) * stiffness * math_log((1 - start) / (1 - higher))
    }

    /// Returns the time that the actuator takes to fall from a state to a lower state if it is not
    /// driven. A closed loop brakes the actuator.
    func fall(from state: Double, to lower: Double = 0) -> Double {
        guard lower < state else { return 0 }
        guard isClosedLoop else { return approach(from: state, to: -running, until: lower) }
        let goal = goal(at: -overdrive)
        // Below this speed, a motor is braked with less than the maximum voltage.
        let braked = kind == .erm ? overdrive / gain : 0
        guard lower < braked else { return approach(from: state, to: goal, until: lower) }
        let slow = min(state, braked)
        let steady = -running / (gain + 1 - running)
        return approach(from: state, to: goal, until: slow)
            + Double(timeConstant) * stiffness * math_log((slow - steady) / (lower - steady))
    }

    /// The minimum interval, in microseconds, between two taps of nearly full intensity that can be
    /// felt separately: the time of one fall and one rise.
    public var tapSpacing: Microseconds {
        let greatest = state(for: Self.nearlyRated)
        return Microseconds(fall(from: greatest) + rise(from: 0, to: greatest))
    }

    /// Returns the state after the given time under a constant stream level.
    func state(after time: Double, from state: Double, under level: Double) -> Double {
        let drive = level / ratedLevel
        return switch (kind, isClosedLoop) {
        case (.lra, true): regulatedAmplitude(after: time, from: state, target: drive)
        case (.lra, false): approach(from: state, to: drive, after: time)
        case (.erm, _): speed(after: time, from: state, under: drive)
        }
    }

    /// Returns the amplitude of an LRA in a closed loop after the given time. The chip drives the
    /// LRA with the maximum voltage until the amplitude has reached its target.
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
            // Below `clamped`, the voltage is limited by the overdrive; above `braked`, by the
            // braking voltage.
            let clamped = clamped(at: drive)
            let braked = (drive * (1 + gain) + overdrive) / gain
            if speed < clamped {
                let needed = approach(from: speed, to: goal(at: overdrive), until: clamped)
                guard needed < left else {
                    return approach(from: speed, to: goal(at: overdrive), after: left)
                }
                (speed, left) = (clamped, left - needed)
            } else if speed > braked {
                let reached = approach(from: speed, to: goal(at: -overdrive), after: left)
                return max(0, reached)
            }
        }
        // Between these speeds, the loop is linear: the voltage is drive + gain × (drive - speed).
        let steady = (drive * (1 + gain) - running) / (gain + 1 - running)
        let decay = math_exp(-left / (Double(timeConstant) * stiffness))
        return max(0, steady + (speed - steady) * decay)
    }

    /// The speed below which a motor is considered stopped.
    private static let standstill = 0.01

    private func approach(from state: Double, to goal: Double, after time: Double) -> Double {
        goal + (state - goal) * math_exp(-time / Double(timeConstant))
    }

    private func approach(from state: Double, to goal: Double, until level: Double) -> Double {
        let ratio = (goal - state) / (goal - level)
        guard ratio > 0, ratio.isFinite else { return .infinity }
        return Double(timeConstant) * math_log(ratio)
    }
}
