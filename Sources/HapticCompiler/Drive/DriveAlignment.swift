// DriveAlignment: selects whether the time of an event is the start of its drive or of its effect.

/// The meaning of the time of an event.
public enum DriveAlignment: String, Sendable, CaseIterable {
    /// The event is felt at its time. The actuator needs some time to rise, more for a stronger
    /// event, so the drive begins earlier. To make this possible, the whole stream is delayed by
    /// ``CompiledPattern/lead``.
    case felt
    /// The drive begins at the time of the event, without any delay. The event is felt later, when
    /// the actuator has risen.
    case drive
}
