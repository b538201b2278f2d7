// HiddenPlant: an actuator whose properties a fit does not know, chosen at random from a seed.

import CDRV2605Model
import Foundation

/// An actuator with random properties, as it moves a sensor.
///
/// The properties deviate by a third from those of a nominal actuator. A plant of the family moves as
/// `actuator_model.h` describes. The other shapes move differently, so that no values of the model
/// describe them.
public final class HiddenPlant {
    /// The shape of a plant.
    public enum Shape: Sendable, CaseIterable {
        /// As the model describes.
        case family
        /// The actuator also excites a second resonance, which the sensor measures as well.
        case secondResonance
        /// The friction at rest is greater than in motion: the weakest part of the motion is missing.
        case stiction
        /// The sensor and the actuator are on a soft mount, which has a resonance of its own.
        case softMount
    }

    /// The properties of the actuator.
    public let truth: actuator_model
    /// The delay from the drive to the motion, in microseconds.
    public let delay: UInt64
    private let shape: Shape
    private var actuator: actuator_model
    private var drive: Int16 = 0
    private var turns = 0.0
    /// The resonance of a second mass or of the mount.
    private var second: Resonator
    private let secondPart: Double
    /// The part of the rated motion that stiction suppresses.
    private let stuck: Double

    /// Creates a plant whose properties are up to a third above or below those of `nominal`.
    public init(_ nominal: actuator_model, _ shape: Shape, from generator: inout SeededGenerator) {
        func factor() -> Double { Double.random(in: 0.67...1.33, using: &generator) }
        var model = nominal
        if nominal.kind == ACTUATOR_ERM {
            let rated = nominal.parameters.erm.rated_voltage_v
            model.parameters.erm.time_constant_s *= factor()
            model.parameters.erm.rated_speed_rad_s *= factor()
            model.parameters.erm.rated_acceleration_g *= factor()
            model.parameters.erm.loop_gain *= factor()
            model.parameters.erm.running_voltage_v *= factor()
            let start = nominal.parameters.erm.start_voltage_v * factor()
            model.parameters.erm.start_voltage_v = min(
                max(start, 1.1 * model.parameters.erm.running_voltage_v), 0.95 * rated)
        } else {
            let time = Self.timeConstant(nominal) * factor()
            model.parameters.lra.resonance_hz = Double.random(in: 150...240, using: &generator)
            model.parameters.lra.quality = .pi * model.parameters.lra.resonance_hz * time
            model.parameters.lra.rated_acceleration_g *= factor()
        }
        (truth, actuator, self.shape) = (model, model, shape)
        delay = UInt64.random(in: 500...1_000, using: &generator)
        secondPart = Double.random(in: 0.2...0.35, using: &generator)
        stuck = Double.random(in: 0.06...0.15, using: &generator)
        let frequency =
            shape == .softMount
            ? Double.random(in: 60...140, using: &generator)
            : model.parameters.frequency(model.kind)
                * Double.random(in: 0.7...0.85, using: &generator)
        second = Resonator(
            frequency: frequency, quality: Double.random(in: 8...20, using: &generator))
    }

    /// The time constant of a modeled LRA, in seconds.
    public static func timeConstant(_ model: actuator_model) -> Double {
        model.parameters.lra.quality / (.pi * model.parameters.lra.resonance_hz)
    }

    /// Changes the drive, -255...255, at a time in microseconds.
    func change(drive: Int, at time: UInt64) {
        _ = acceleration(at: time)
        self.drive = Int16(drive)
    }

    /// Returns the acceleration at a time in microseconds, which must not decrease, in g.
    func acceleration(at time: UInt64) -> Double {
        let seconds = Double(time - min(actuator.now_us, time)) * 1e-6
        actuator_model_advance(&actuator, time, drive)
        turns += seconds * actuator_model_frequency_hz(&actuator)
        turns -= turns.rounded(.down)
        var amplitude = actuator_model_acceleration_g(&actuator)
        if shape == .stiction {
            let rated = truth.parameters.acceleration(truth.kind)
            amplitude = max(0, amplitude - stuck * rated)
        }
        let main = amplitude * cos(2 * .pi * turns)
        guard shape == .secondResonance || shape == .softMount else { return main }
        second.advance(by: seconds, under: main)
        return shape == .softMount ? main - second.force : main + secondPart * second.force
    }

    /// Brings the plant to rest at time 0.
    func rest() {
        (actuator, drive, turns) = (truth, 0, 0)
        second.rest()
    }
}

/// A damped resonator, whose spring force is 1 for a constant drive of 1.
private struct Resonator {
    private let rate: Double
    private let quality: Double
    private var position = 0.0
    private var speed = 0.0

    /// The force of the spring, relative to the drive.
    var force: Double { position }

    init(frequency: Double, quality: Double) {
        (rate, self.quality) = (2 * .pi * frequency, quality)
    }

    mutating func rest() { (position, speed) = (0, 0) }

    mutating func advance(by seconds: Double, under drive: Double) {
        let count = max(1, (seconds / 50e-6).rounded(.up))
        let step = seconds / count
        for _ in 0..<Int(count) {
            speed += step * (rate * rate * (drive - position) - rate / quality * speed)
            position += step * speed
        }
    }
}

extension actuator_model.__Unnamed_union_parameters {
    fileprivate func acceleration(_ kind: actuator_kind) -> Double {
        kind == ACTUATOR_ERM ? erm.rated_acceleration_g : lra.rated_acceleration_g
    }

    /// The resonance of an LRA, or the rotations per second of an ERM at its rated voltage.
    fileprivate func frequency(_ kind: actuator_kind) -> Double {
        kind == ACTUATOR_ERM ? erm.rated_speed_rad_s / (2 * .pi) : lra.resonance_hz
    }
}
