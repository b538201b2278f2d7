// RumbleMotors: the levels of the two motors of a gamepad.

/// The levels of the two motors of a gamepad, each 0...1, and the values that an actuator plays in
/// their place.
public struct RumbleMotors: Equatable, Sendable {
    /// The level of the large motor, which games use for heavy, slow vibrations.
    public internal(set) var strong = 0.0
    /// The level of the small motor, which games use for light, fast vibrations.
    public internal(set) var weak = 0.0

    /// The intensity that an actuator plays: the level of the motor that is stronger at this time.
    public var intensity: Double { max(strong, weak) }

    /// The sharpness that an actuator plays: 0 if only the large motor runs, 1 if only the small motor
    /// runs.
    public var sharpness: Double { intensity > 0 ? weak / (strong + weak) : 0.5 }

    /// Adds the levels of an effect. The sum is limited to 1, as in the kernel (ff-memless.c).
    mutating func add(_ other: RumbleMotors, gain: Double) {
        strong = min(1, strong + other.strong * gain)
        weak = min(1, weak + other.weak * gain)
    }
}
