// ClockSchedule: the times at which the device's clock is sampled.

import CBridgeProtocol

/// The schedule of the clock samples. Samples are dense at first, and remain frequent while
/// something is playing.
public struct ClockSchedule: Hashable, Sendable {
    /// The number of samples in the burst after WELCOME. Each sample is taken after the previous
    /// sample has been answered.
    public var burstCount = 40
    /// The minimum interval between two samples of the burst.
    public var burstInterval: Microseconds = .milliseconds(1)
    /// The first interval after the burst. Each further interval is longer than the previous one by
    /// a sixteenth, up to `playingInterval` or `idleInterval`. With this schedule, the rate of a
    /// ceramic resonator, which may be off by 0.5 %, is known within the first few seconds.
    public var firstInterval: Microseconds = .milliseconds(8)
    /// The maximum interval while something may be playing: about a third of `DEAD_MAN_US`, because
    /// the samples also prevent the dead-man timeout.
    public var playingInterval: Microseconds = .milliseconds(85)
    /// The maximum interval while nothing is playing.
    public var idleInterval: Microseconds = .milliseconds(980)

    /// Creates the default schedule.
    public init() {}

    /// Returns the interval between sample number `count` and the next one.
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

    /// The frame period of full-speed USB. USB adapters deliver received bytes at frame boundaries.
    private static let frame: Microseconds = 1_000

    /// Returns the fraction of a period at which sample number `count` is taken. Successive
    /// fractions are multiples of the golden ratio, so that n successive samples leave no gap
    /// larger than about 1.9 / n.
    static func fraction(of count: Int) -> Double {
        (Double(count) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
    }

    /// Returns the first time, not before `earliest`, at which sample number `count` has its
    /// intended phase within a USB frame. With these times, the samples soon cover all phases of a
    /// frame.
    static func time(of count: Int, from earliest: HostTime) -> HostTime {
        let phase =
            Microseconds(fraction(of: count) * Double(frame)) - earliest.microseconds % frame
        return earliest + (phase < 0 ? phase + frame : phase)
    }
}
