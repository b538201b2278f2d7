// WideBandActuator: a model of an actuator with a wide band, whose motion is simulated in small
// steps.

import Foundation
import HapticCompiler

/// An actuator that consists of one or two damped oscillators in a common case. The model is
/// independent of the envelopes that `Firmware/model` computes.
public struct WideBandActuator: Sendable {
    /// A damped oscillator.
    public struct Resonance: Sendable {
        /// The frequency in hertz.
        var frequency: Double
        var quality: Double
        /// The share of this oscillator in the acceleration of the case, for equal drive. A
        /// negative share moves the case in the opposite direction.
        var share: Double
    }

    public let name: String
    let resonances: [Resonance]

    /// The time constant of the first oscillator, in seconds: the amplitude of a free vibration
    /// decreases to 1/e in this time.
    public var timeConstant: Double { resonances[0].quality / (.pi * resonances[0].frequency) }

    /// A voice coil with a soft spring, which is flat above 80 Hz.
    public static let voiceCoil = WideBandActuator(
        name: "voice coil", resonances: [Resonance(frequency: 65, quality: 0.8, share: 1)])
    /// A reactor with resonances at 160 and 320 Hz.
    public static let reactor = WideBandActuator(
        name: "reactor",
        resonances: [
            Resonance(frequency: 160, quality: 3, share: 1),
            Resonance(frequency: 320, quality: 4, share: -0.6),
        ])
    /// An LRA with strong damping.
    public static let damped = WideBandActuator(
        name: "damped LRA", resonances: [Resonance(frequency: 170, quality: 1.6, share: 1)])

    public static let all = [voiceCoil, reactor, damped]

    /// Returns the rms voltage of a DRV2605L at full drive, as a fraction of the rms voltage
    /// without pauses in the signal (SLOS854D 8.5.2.1).
    public static func drive(at frequency: Double) -> Double {
        (1 - 800e-6 * frequency).squareRoot()
    }

    /// Returns the amplitude of the acceleration per unit of drive at a frequency, from the exact
    /// solution of the equations of motion.
    public func gain(at frequency: Double) -> Double {
        let (real, imaginary) = resonances.reduce((0.0, 0.0)) { sum, resonance in
            let ratio = frequency / resonance.frequency
            let (a, b) = (1 - ratio * ratio, ratio / resonance.quality)
            let scale = resonance.share * ratio * ratio / (a * a + b * b)
            return (sum.0 + scale * a, sum.1 - scale * b)
        }
        return (real * real + imaginary * imaginary).squareRoot()
    }

    /// Returns points of the frequency response, as a data sheet or a measurement would provide
    /// them.
    public func points(every step: Double, in range: ClosedRange<Double>)
        -> [FrequencyBand.ResponsePoint]
    {
        stride(from: range.lowerBound, through: range.upperBound, by: step).map {
            FrequencyBand.ResponsePoint(frequency: $0, gain: gain(at: $0))
        }
    }
}

/// The motion of a ``WideBandActuator``.
public struct WideBandMotion {
    /// The time step of the simulation, in seconds.
    public static let step = 50e-6

    private struct Oscillator {
        var share: Double
        var square: Double
        var damping: Double
        var position = 0.0
        var speed = 0.0
        var acceleration = 0.0
    }

    private var oscillators: [Oscillator]
    private var phase = 0.0
    private var (last, present) = (0.0, 0.0)

    /// The current acceleration of the case, in the unit of ``WideBandActuator/gain(at:)``.
    public var acceleration: Double { present }

    public init(_ actuator: WideBandActuator) {
        oscillators = actuator.resonances.map {
            let speed = 2 * Double.pi * $0.frequency
            return Oscillator(share: $0.share, square: speed * speed, damping: speed / $0.quality)
        }
    }

    /// Advances the motion by one step of a sinusoidal drive with the amplitude `drive`. Returns
    /// the amplitude of the sine with this frequency that has the current acceleration and the
    /// current rate of change.
    public mutating func advance(drive: Double, frequency: Double) -> Double {
        let angle = 2 * Double.pi * frequency * Self.step
        let force = drive * WideBandActuator.drive(at: frequency) * sin(phase + angle / 2)
        phase += angle
        var acceleration = 0.0
        for index in oscillators.indices {
            // The midpoint method: the state after half a step determines the change in the whole
            // step.
            var one = oscillators[index]
            func push(_ position: Double, _ speed: Double) -> Double {
                one.square * (force - position) - one.damping * speed
            }
            let half = Self.step / 2
            let middle = one.position + half * one.speed
            let speed = one.speed + half * push(one.position, one.speed)
            let pushed = push(middle, speed)
            one.position += Self.step * speed
            one.speed += Self.step * pushed
            one.acceleration = pushed / one.square
            acceleration += one.share * one.acceleration
            oscillators[index] = one
        }
        (last, present) = (present, acceleration)
        let slope = (present - last) / (2 * sin(angle / 2))
        let mean = (present + last) / (2 * cos(angle / 2))
        return (mean * mean + slope * slope).squareRoot()
    }
}
