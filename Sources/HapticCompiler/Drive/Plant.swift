// Plant: how an actuator responds to its drive, as far as a plan of the drive needs it.

import CMath
import HapticPatterns

/// The response of an actuator and its driver to a level of the drive.
///
/// The state is one number: the amplitude of an LRA or the speed of an ERM, 1 at the rated voltage.
/// It follows the drive with one time constant. The model is that of `Firmware/model`, without what
/// a plan does not need; real actuators differ from it by a quarter and more, which the rules that
/// use it allow for.
public struct Plant: Sendable, Hashable, Codable {
    /// The kind of actuator.
    public enum Kind: Sendable, Hashable, Codable {
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
    /// True if the driver regulates the amplitude or the speed, with overdrive and brake.
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
    private static let leastGain = 1.0

    /// The gain of the loop; 0 in an open loop.
    private var gain: Double { isClosedLoop ? Self.loopGain : 0 }

    /// True if the driver brings the actuator to the level that it is given, so that a longer pulse
    /// is not a stronger one.
    var regulatesAmplitude: Bool { kind == .lra && isClosedLoop }

    /// Returns the state at which an intensity of 0...1 is felt.
    func state(for intensity: Double) -> Double {
        kind == .erm ? intensity.squareRoot() : intensity
    }

    /// Returns the intensity that is felt in a state.
    func intensity(of state: Double) -> Double { kind == .erm ? state * state : state }

    /// The level of the stream that starts a motor whose start voltage is a quarter above that of its
    /// data sheet, in a loop of the least gain.
    var startLevel: Double {
        min(1, start * 1.25 / (isClosedLoop ? 1 + Self.leastGain : 1)) * ratedLevel
    }

    /// Returns the level of the stream that holds a state: the inverse of the static curve.
    func level(holding state: Double) -> Double {
        guard state > 0 else { return 0 }
        let voltage = kind == .erm ? ((gain + 1 - running) * state + running) / (1 + gain) : state
        return min(voltage, 1) * ratedLevel
    }

    /// The part of the time constant with which a motor in a closed loop approaches its speed.
    private var stiffness: Double { (1 - running) / (gain + 1 - running) }

    /// The speed up to which the loop drives a motor as strongly as the clamp allows.
    private func clamped(at drive: Double) -> Double { (drive * (1 + gain) - overdrive) / gain }

    /// The speed that counts as the rated one, a third of a just-noticeable difference below it.
    static let nearlyRated = 0.97

    /// The state that a voltage, over the rated one, approaches.
    private func goal(at voltage: Double) -> Double { (voltage - running) / (1 - running) }
}

/// The response over time. Times are in microseconds.
extension Plant {
    /// Returns the time in which the greatest level leads from one state to a higher one; infinite
    /// if it does not reach it.
    ///
    /// The loop of a motor drives it the less the closer it is to its target, so the rated speed is
    /// never reached. ``nearlyRated`` stands for what is above it.
    func rise(from state: Double, to higher: Double, most: Double = nearlyRated) -> Double {
        let higher = kind == .erm && gain > 0 ? min(higher, most) : higher
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

    /// Returns the time in which no drive leads from one state to a lower one: a closed loop brakes.
    func fall(from state: Double, to lower: Double = 0) -> Double {
        guard lower < state else { return 0 }
        guard isClosedLoop else { return approach(from: state, to: -running, until: lower) }
        let goal = goal(at: -overdrive)
        // Below this speed, the brake of a motor is weaker than the clamp allows.
        let braked = kind == .erm ? overdrive / gain : 0
        guard lower < braked else { return approach(from: state, to: goal, until: lower) }
        let slow = min(state, braked)
        let steady = -running / (gain + 1 - running)
        return approach(from: state, to: goal, until: slow)
            + Double(timeConstant) * stiffness * math_log((slow - steady) / (lower - steady))
    }

    /// The distance from which taps of nearly full intensity are felt apart, in microseconds: the
    /// time of a fall and a rise.
    public var tapSpacing: Microseconds {
        let greatest = state(for: Self.nearlyRated)
        return Microseconds(fall(from: greatest) + rise(from: 0, to: greatest))
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
        // The rest is linear: the voltage is drive + gain × (drive - speed).
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
        let ratio = (goal - state) / (goal - level)
        guard ratio > 0, ratio.isFinite else { return .infinity }
        return Double(timeConstant) * math_log(ratio)
    }
}
