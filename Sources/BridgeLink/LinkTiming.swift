// LinkTiming: how long a session waits for what.

/// The times of a session, in microseconds. The defaults are those of SPEC and of the facts of
/// USB adapters; tests use others.
public struct LinkTiming: Hashable, Sendable {
    /// Between two HELLOs (SPEC 3).
    public var helloInterval: Microseconds = .milliseconds(200)
    /// HELLO is given up after this time. Boards that reset on open boot for up to 2 s.
    public var connectTimeout: Microseconds = .milliseconds(4_000)
    /// Between two copies of an unanswered STOP or MUTE (SPEC 4.3).
    public var urgentInterval: Microseconds = .milliseconds(20)
    /// Between two GET_STATUS while a stream is open: a third of `DEAD_MAN_US`.
    public var keepAliveInterval: Microseconds = .milliseconds(80)
    /// Without a valid frame for this time, though answers are due, the link is dead.
    public var silenceLimit: Microseconds = .milliseconds(1_000)
    /// How often the clock is sampled, or nil: only when asked.
    public var clock: ClockSchedule? = ClockSchedule()

    public init() {}

    public static let standard = LinkTiming()
}

/// When the device's clock is sampled: densely at first, then now and then.
public struct ClockSchedule: Hashable, Sendable {
    /// Samples of the burst after WELCOME.
    public var burstCount = 8
    public var burstInterval: Microseconds = .milliseconds(50)
    /// Odd on purpose, so that it does not beat with other periods.
    public var interval: Microseconds = 983_900

    public init() {}

    /// The time from sample number `count` to the next one.
    func interval(after count: Int) -> Microseconds {
        count < burstCount ? burstInterval : interval
    }
}
