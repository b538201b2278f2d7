// ClickLimiter: limits the rate at which controls click. Times are passed as arguments.

/// Decides which clicks are played, so that clicks remain distinct and are not overused.
///
/// "Overusing the click haptic tends to diminish its utility and can even be confusing when clicks
/// overlap each other" (Apple's Human Interface Guidelines, Playing haptics). The guidelines
/// contain no numbers, so this project chose the limits. If a dial is turned quickly, each step
/// clicks at first. After ``mostAtOnce`` clicks, the rate is limited to ``mostPerSecond``.
public struct ClickLimiter: Sendable {
    /// A decision about one click.
    public enum Decision: Sendable {
        /// The click is played.
        case plays
        /// The click is not played, because it follows the previous click by less than
        /// ``ClickLimiter/spacing`` and would be felt as part of that click.
        case fuses
        /// The click is not played, because too many clicks have been played recently.
        case isTooMany
    }

    /// The minimum time between two clicks of this limiter, in microseconds.
    public var spacing: Microseconds

    /// The minimum time between two clicks that suits every actuator, in microseconds. Clicks at
    /// intervals of 30 ms or less are perceived as a vibration (Scientific Reports 2025,
    /// PMC11814341).
    public static let leastSpacing: Microseconds = 30_000
    /// The maximum number of consecutive clicks after a pause. Apple's densest sample pattern has
    /// 51 taps in one second.
    public static let mostAtOnce = 60
    /// The maximum number of clicks per second once ``mostAtOnce`` consecutive clicks have been
    /// played.
    public static let mostPerSecond = 8

    /// The time by which a click increases the load, in microseconds.
    private static let cost: Microseconds = 1_000_000 / Microseconds(mostPerSecond)

    /// The time of the last click that was played.
    private var last: Microseconds?
    /// The load at the time of the last click that was played, in microseconds. The load decreases
    /// over time.
    private var load: Microseconds = 0

    /// Creates a limiter that has not played any clicks.
    public init(spacing: Microseconds = leastSpacing) { self.spacing = spacing }

    /// Decides whether a click is played. A click that is not played does not influence later
    /// decisions. If the time is before the time of the last click, the time of the last click is
    /// used.
    public mutating func click(at time: Microseconds) -> Decision {
        let time = max(time, last ?? time)
        let elapsed = time - (last ?? time)
        if last != nil, elapsed < spacing { return .fuses }
        let load = max(0, self.load - elapsed) + Self.cost
        guard load <= Self.cost * Microseconds(Self.mostAtOnce) else { return .isTooMany }
        self.load = load
        last = time
        return .plays
    }
}
