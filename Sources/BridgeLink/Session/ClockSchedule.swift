// ClockSchedule: when the device's clock is sampled.

import CBridgeProtocol

/// The schedule by which the device's clock is sampled: densely at first, and often while something
/// plays.
public struct ClockSchedule: Hashable, Sendable {
    /// The number of samples in the burst after WELCOME, each of which is taken as soon as the one
    /// before is answered.
    public var burstCount = 40
    /// The interval between two samples of the burst.
    public var burstInterval: Microseconds = .milliseconds(1)
    /// The first interval after the burst. Each further interval is longer by a 16th, up to
    /// `playingInterval` or `idleInterval`: the rate of a ceramic resonator, which may be off by 0.5 %, is known
    /// within the first seconds.
    public var firstInterval: Microseconds = .milliseconds(8)
    /// The longest interval while something may play: a third of `DEAD_MAN_US`, because the samples
    /// keep the dead-man content.
    public var playingInterval: Microseconds = .milliseconds(85)
    /// The longest interval while nothing plays.
    public var idleInterval: Microseconds = .milliseconds(980)

    /// Creates the schedule that sessions use.
    public init() {}

    /// Returns the time from sample number `count` to the next one.
    func interval(after count: Int, isPlaying: Bool) -> Microseconds {
        if count < burstCount { return burstInterval }
        let longest = isPlaying ? playingInterval : idleInterval
        var interval = firstInterval
        for _ in burstCount..<count {
            guard interval < longest else { break }
            interval += interval / 16
        }
        return min(interval, longest)
    }

    /// The period of USB at full speed, at whose edges adapters release bytes.
    private static let frame: Microseconds = 1_000

    /// Returns the share of a period at which sample number `count` is taken. The shares of n successive
    /// samples leave no gap of more than about 1.9 / n, because they are multiples of the golden ratio.
    static func share(of count: Int) -> Double {
        (Double(count) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
    }

    /// Returns the first time from `earliest` on that lies in its USB frame where sample number `count`
    /// does, so that the samples meet all phases of a frame soon.
    static func time(of count: Int, from earliest: HostTime) -> HostTime {
        let phase = Microseconds(share(of: count) * Double(frame)) - earliest.microseconds % frame
        return earliest + (phase < 0 ? phase + frame : phase)
    }
}
