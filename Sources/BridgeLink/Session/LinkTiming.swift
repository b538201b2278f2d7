// LinkTiming: the intervals and timeouts of a session.

import CBridgeProtocol

/// The intervals and timeouts of a session, in microseconds. The default values follow from SPEC
/// and from the properties of USB adapters; tests use other values.
public struct LinkTiming: Hashable, Sendable {
    /// The interval between two HELLOs (SPEC 3).
    public var helloInterval: Microseconds = .milliseconds(200)
    /// The time after which the session ends if no WELCOME has arrived. A board that resets when
    /// its port is opened takes up to 2 s to boot.
    public var connectTimeout: Microseconds = .milliseconds(4_000)
    /// The interval at which an unanswered STOP or MUTE is sent again (SPEC 4.3).
    public var urgentInterval: Microseconds = .milliseconds(20)
    /// The interval between two GET_STATUS messages while something may be playing. The interval
    /// can be long, because CLOCK also prevents the dead-man timeout and has shorter answers.
    public var statusInterval: Microseconds = .milliseconds(1_000)
    /// The interval between two GET_STATUS messages while something may be playing and the clock is
    /// not being sampled: about a third of `DEAD_MAN_US`, to prevent the dead-man timeout.
    public var keepAliveInterval: Microseconds = .milliseconds(80)
    /// The time without a valid frame after which the link is considered dead, if answers are due.
    public var silenceLimit: Microseconds = .milliseconds(1_000)
    /// The time that one byte takes on the line: ten bits at 250,000 baud; 0 if transfers take no
    /// time.
    public var byteTime: Microseconds = .milliseconds(10_000) / Microseconds(BRIDGE_BAUD)
    /// The schedule of the clock samples; nil to sample the clock only on request.
    public var clock: ClockSchedule? = ClockSchedule()

    /// Creates the default timing.
    public init() {}

    /// The default timing.
    public static let standard = LinkTiming()
}
