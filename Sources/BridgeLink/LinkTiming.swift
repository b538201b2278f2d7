// LinkTiming: how long a session waits for what.

import CBridgeProtocol

/// The times of a session, in microseconds. The defaults are those of SPEC and of the facts of
/// USB adapters; tests use others.
public struct LinkTiming: Hashable, Sendable {
    /// Between two HELLOs (SPEC 3).
    public var helloInterval: Microseconds = .milliseconds(200)
    /// HELLO is given up after this time. Boards that reset on open boot for up to 2 s.
    public var connectTimeout: Microseconds = .milliseconds(4_000)
    /// Between two copies of an unanswered STOP or MUTE (SPEC 4.3).
    public var urgentInterval: Microseconds = .milliseconds(20)
    /// Between two GET_STATUS while something may play. Answers to CLOCK are shorter, and keep the
    /// dead-man content as well.
    public var statusInterval: Microseconds = .milliseconds(1_000)
    /// The same where the clock is not sampled: a third of `DEAD_MAN_US`.
    public var keepAliveInterval: Microseconds = .milliseconds(80)
    /// Without a valid frame for this time, though answers are due, the link is dead.
    public var silenceLimit: Microseconds = .milliseconds(1_000)
    /// A byte on the line, ten bits at 250,000 baud; 0 if bytes take no time.
    public var byteTime: Microseconds = .milliseconds(10_000) / Microseconds(BRIDGE_BAUD)
    /// How often the clock is sampled, or nil: only when asked.
    public var clock: ClockSchedule? = ClockSchedule()

    public init() {}

    public static let standard = LinkTiming()
}

/// When the device's clock is sampled: densely at first, often while something plays.
public struct ClockSchedule: Hashable, Sendable {
    /// Samples of the burst after WELCOME, one as soon as the other is answered.
    public var burstCount = 24
    public var burstInterval: Microseconds = .milliseconds(1)
    /// The first interval after it. Each is longer than the one before by a sixth, up to those below.
    public var firstInterval: Microseconds = .milliseconds(8)
    /// While something may play: a third of `DEAD_MAN_US`, as this is what keeps it content.
    public var playingInterval: Microseconds = .milliseconds(85)
    public var idleInterval: Microseconds = .milliseconds(980)
    /// Each interval is longer by something below this.
    public var dither: Microseconds = .milliseconds(2)

    public init() {}

    /// The time from sample number `count` to the next one.
    func interval(after count: Int, isPlaying: Bool) -> Microseconds {
        if count < burstCount { return burstInterval }
        let longest = isPlaying ? playingInterval : idleInterval
        var interval = firstInterval
        for _ in burstCount..<count where interval < longest { interval += interval / 6 }
        return min(interval, longest)
    }
}
