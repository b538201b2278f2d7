// LinkTiming: the intervals and timeouts of a session.

import CBridgeProtocol

/// The intervals and timeouts of a session, in microseconds. The defaults follow from SPEC and from
/// the properties of USB adapters; tests use other values.
public struct LinkTiming: Hashable, Sendable {
    /// The interval between two HELLOs (SPEC 3).
    public var helloInterval: Microseconds = .milliseconds(200)
    /// The timeout of the connection, after which no more HELLO is sent. Boards that reset when
    /// their port is opened take up to 2 s to boot.
    public var connectTimeout: Microseconds = .milliseconds(4_000)
    /// The interval between two copies of an unanswered STOP or MUTE (SPEC 4.3).
    public var urgentInterval: Microseconds = .milliseconds(20)
    /// The interval between two GET_STATUS while something may play. Answers to CLOCK are shorter,
    /// and CLOCK also prevents the dead-man timeout.
    public var statusInterval: Microseconds = .milliseconds(1_000)
    /// The interval between two GET_STATUS while something may play and the clock is not sampled: a
    /// third of `DEAD_MAN_US`.
    public var keepAliveInterval: Microseconds = .milliseconds(80)
    /// The time without a valid frame, although answers are due, after which the link counts as
    /// dead.
    public var silenceLimit: Microseconds = .milliseconds(1_000)
    /// The transfer time of a byte on the line: ten bits at 250,000 baud; 0 if transfers take no
    /// time.
    public var byteTime: Microseconds = .milliseconds(10_000) / Microseconds(BRIDGE_BAUD)
    /// The schedule of the clock samples; nil if the clock is sampled only on request.
    public var clock: ClockSchedule? = ClockSchedule()

    /// Creates the default timing.
    public init() {}

    /// The default timing.
    public static let standard = LinkTiming()
}
