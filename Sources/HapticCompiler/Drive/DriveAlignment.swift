// DriveAlignment: whether an event is driven or felt at its time.

/// The choice of what happens at the time of an event.
public enum DriveAlignment: String, Sendable, CaseIterable {
    /// The actuator is felt at the time of the event. It takes some time to rise, the longer the
    /// stronger the event, so the drive begins earlier, and the whole stream is later than the
    /// pattern by ``CompiledPattern/lead``.
    case felt
    /// The drive begins at the time of the event, without any delay, and is felt when the actuator
    /// has risen.
    case drive
}
