// LinkTiming: the times for which a session waits.

import CBridgeProtocol

/// The times of a session, in microseconds. The defaults come from SPEC and from the properties of
/// USB adapters; tests use others.
public struct LinkTiming: Hashable, Sendable {
    /// The time between two HELLOs (SPEC 3).
    public var helloInterval: Microseconds = .milliseconds(200)
    /// The time after which the session gives up sending HELLO. Boards that reset on open boot for
    /// up to 2 s.
    public var connectTimeout: Microseconds = .milliseconds(4_000)
    /// The time between two copies of an unanswered STOP or MUTE (SPEC 4.3).
    public var urgentInterval: Microseconds = .milliseconds(20)
    /// The time between two GET_STATUS while something may play. Answers to CLOCK are shorter, and
    /// CLOCK keeps the dead-man content as well.
    public var statusInterval: Microseconds = .milliseconds(1_000)
    /// The time between two GET_STATUS while something may play and the clock is not sampled: a
    /// third of `DEAD_MAN_US`.
    public var keepAliveInterval: Microseconds = .milliseconds(80)
    /// The time without a valid frame, although answers are due, after which the link is considered
    /// dead.
    public var silenceLimit: Microseconds = .milliseconds(1_000)
    /// The time of a byte on the line: ten bits at 250,000 baud; 0 if bytes take no time.
    public var byteTime: Microseconds = .milliseconds(10_000) / Microseconds(BRIDGE_BAUD)
    /// The schedule by which the clock is sampled; nil if it is sampled only on request.
    public var clock: ClockSchedule? = ClockSchedule()

    /// Creates the default times.
    public init() {}

    /// The default times.
    public static let standard = LinkTiming()
}
