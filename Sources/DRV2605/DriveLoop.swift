// DriveLoop: the two drive modes of the chip.

/// A drive mode of the chip, with or without measurement of the actuator's motion.
public enum DriveLoop: Hashable, Sendable {
    /// The chip tracks the resonance, overdrives and brakes. Levels are unidirectional and
    /// unsigned.
    case closed
    /// The chip does not measure the motion. This mode is for actuators whose back-EMF is too weak
    /// to be measured. Levels are bidirectional and signed.
    case open
}
