// RumbleEffect: an effect that a game uploads to a gamepad.

/// An effect that a game uploads to a gamepad: the kernel's `struct ff_effect`. Times are in
/// microseconds.
///
/// The gamepad has two motors. As in the kernel's driver for such gamepads (ff-memless.c), the
/// amplitude of a periodic effect is the level of both motors; its waveform, period, offset and phase
/// have no meaning for a motor. A constant force and a ramp also set the level of both motors.
/// Directions and trigger buttons are ignored.
public struct RumbleEffect: Equatable, Sendable {
    private enum Shape: Equatable {
        case rumble(RumbleMotors)
        /// A constant force, or the amplitude of a periodic effect, 0...1.
        case steady(Double)
        /// A force that changes linearly; the values at both ends are -1...1.
        case ramp(from: Double, to: Double)
    }

    /// The number of bytes of `struct ff_effect` on a computer with 64-bit pointers.
    public static let size = 48

    /// The number with which the game plays and erases the effect.
    public let id: Int
    private let shape: Shape
    private let envelope: RumbleEnvelope
    /// The length of a repetition; nil if the effect has no end.
    let length: Int64?
    /// The pause before each repetition.
    let delay: Int64

    /// Reads an effect. Returns nil if the gamepad does not support the type of the effect.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        let fields = KernelFields(bytes)
        let (shape, envelopeAt): (Shape, Int?)
        switch ForceFeedback(rawValue: fields.unsigned(at: 0)) {
        case .rumble:
            (shape, envelopeAt) = (.rumble(fields.motors(at: 16)), nil)
        case .constant:
            (shape, envelopeAt) = (.steady(abs(fields.force(at: 16))), 18)
        case .ramp:
            (shape, envelopeAt) = (.ramp(from: fields.force(at: 16), to: fields.force(at: 18)), 20)
        case .periodic:
            (shape, envelopeAt) = (.steady(abs(fields.force(at: 20))), 26)
        default: return nil
        }
        (self.shape, envelope) = (shape, fields.envelope(at: envelopeAt))
        id = Int(fields.unsigned(at: 2))
        let length = fields.milliseconds(at: 10)
        self.length = length == 0 ? nil : length
        delay = fields.milliseconds(at: 12)
    }

    /// Returns the levels of the motors at a time since the beginning of a repetition.
    func motors(at time: Int64) -> RumbleMotors {
        let force: Double
        switch shape {
        case .rumble(let motors): return motors
        case .steady(let level): force = level
        case .ramp(let from, let to):
            force = from + (to - from) * (length.map { Double(time) / Double($0) } ?? 0)
        }
        let level = envelope.level(abs(force), at: time, of: length)
        return RumbleMotors(strong: level, weak: level)
    }
}
