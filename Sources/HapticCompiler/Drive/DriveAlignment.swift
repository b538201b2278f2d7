// DriveAlignment: selects whether the time of an event is the time at which the event is felt or at
// which its drive begins.

/// The meaning of the time of an event.
public enum DriveAlignment: String, Sendable, CaseIterable {
    /// The event is felt at its time. The actuator needs some time to reach the strength of the
    /// event, and more time for a stronger event, so the drive begins earlier. To make this
    /// possible, the whole stream is delayed by ``CompiledPattern/lead``.
    case felt
    /// The drive begins at the time of the event, without any delay. The event is felt later, once
    /// the actuator has reached its strength.
    case drive
}
