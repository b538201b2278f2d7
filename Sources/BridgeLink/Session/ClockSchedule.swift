// ClockSchedule: when the device's clock is sampled.

import CBridgeProtocol

/// The schedule by which the device's clock is sampled: densely at first, and often while something
/// plays.
public struct ClockSchedule: Hashable, Sendable {
    /// The number of samples in the burst after WELCOME, each of which is taken as soon as the one
    /// before is answered.
    public var burstCount = 24
    /// The interval between two samples of the burst.
    public var burstInterval: Microseconds = .milliseconds(1)
    /// The first interval after the burst. Each further interval is longer by a sixth, up to
    /// `playingInterval` or `idleInterval`.
    public var firstInterval: Microseconds = .milliseconds(8)
    /// The longest interval while something may play: a third of `DEAD_MAN_US`, because the samples
    /// keep the dead-man content.
    public var playingInterval: Microseconds = .milliseconds(85)
    /// The longest interval while nothing plays.
    public var idleInterval: Microseconds = .milliseconds(980)
    /// The bound below which each interval is lengthened by a random time.
    public var dither: Microseconds = .milliseconds(2)

    /// Creates the schedule that sessions use.
    public init() {}

    /// Returns the time from sample number `count` to the next one.
    func interval(after count: Int, isPlaying: Bool) -> Microseconds {
        if count < burstCount { return burstInterval }
        let longest = isPlaying ? playingInterval : idleInterval
        var interval = firstInterval
        for _ in burstCount..<count where interval < longest { interval += interval / 6 }
        return min(interval, longest)
    }
}
