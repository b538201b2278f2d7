// ClickLimiter: limits the rate of the clicks of controls. Times are passed as arguments.

/// Decides which clicks are played, so that clicks remain distinct and are not overused.
///
/// "Overusing the click haptic tends to diminish its utility and can even be confusing when clicks
/// overlap each other" (Apple's Human Interface Guidelines, Playing haptics). The guidelines
/// contain no numbers, so this project chose them. A quick turn of a dial clicks at each step.
/// After ``mostAtOnce`` clicks, the rate is reduced to ``mostPerSecond``.
public struct ClickLimiter: Sendable {
    /// A decision about one click.
    public enum Decision: Sendable {
        /// The click is played.
        case plays
        /// The click is not played, because it follows the previous click by less than
        /// ``ClickLimiter/spacing`` and would be felt as a part of it.
        case fuses
        /// The click is not played, because too many clicks preceded it.
        case isTooMany
    }

    /// The minimum time between two clicks, in microseconds.
    public var spacing: Microseconds

    /// The minimum time between two clicks on any actuator, in microseconds. Clicks at intervals of
    /// 30 ms or less are felt as a vibration (Scientific Reports 2025, PMC11814341).
    public static let leastSpacing: Microseconds = 30_000
    /// The maximum number of consecutive clicks after a pause. The densest of Apple's sample
    /// patterns has 51 taps in one second.
    public static let mostAtOnce = 60
    /// The maximum number of clicks per second after ``mostAtOnce`` consecutive clicks.
    public static let mostPerSecond = 8

    /// The time that one click adds to the load, in microseconds.
    private static let cost: Microseconds = 1_000_000 / Microseconds(mostPerSecond)

    /// The time of the last click that was played.
    private var last: Microseconds?
    /// The load at the last click that was played, in microseconds. It decreases with time.
    private var load: Microseconds = 0

    /// Makes a limiter without previous clicks.
    public init(spacing: Microseconds = leastSpacing) { self.spacing = spacing }

    /// Decides whether a click is played. A click that is not played has no influence on later
    /// decisions. If the time is before that of the last click, the time of the last click is used.
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
