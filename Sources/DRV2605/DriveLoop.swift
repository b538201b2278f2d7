// DriveLoop: the two drive modes of the chip.

/// A drive mode of the chip: it either measures the actuator's motion or does not.
public enum DriveLoop: Hashable, Sendable {
    /// The chip tracks the resonance, overdrives and brakes. Levels are unidirectional and
    /// unsigned.
    case closed
    /// The chip measures nothing. This mode is for actuators whose back-EMF is too weak to be
    /// measured. Levels are bidirectional and signed.
    case open
}
