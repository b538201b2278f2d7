// DriveLoop: the two ways in which the chip drives.

/// The use that the chip makes of what it measures of the actuator's motion.
public enum DriveLoop: Hashable, Sendable {
    /// The chip finds resonance, overdrives and brakes. Levels are unidirectional and unsigned.
    case closed
    /// The chip measures nothing: for actuators whose back-EMF is too weak. Levels are bidirectional and
    /// signed.
    case open
}
