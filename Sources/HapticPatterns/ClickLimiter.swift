// ClickLimiter: keeps the clicks of controls apart and rare. Time is an argument.

/// Decides which clicks are played, so that they neither fuse nor wear out.
///
/// "Overusing the click haptic tends to diminish its utility and can even be confusing when clicks
/// overlap each other" (Apple's Human Interface Guidelines, Playing haptics). The guidelines give no
/// numbers; those here are our own. A quick turn of a dial clicks at each step; after
/// ``mostAtOnce`` clicks, the rest is thinned out to ``mostPerSecond``.
public struct ClickLimiter: Sendable {
    /// A decision about one click.
    public enum Decision: Sendable {
        /// The click is played.
        case plays
        /// The click is nearer to the one before it than ``ClickLimiter/spacing``, and is felt as
        /// part of it.
        case fuses
        /// There were too many clicks before it.
        case isTooMany
    }

    /// The least time between two clicks, in microseconds.
    public var spacing: Microseconds

    /// The least time between two clicks on any actuator, in microseconds: at intervals of 30 ms and
    /// less, skin feels a vibration (Scientific Reports 2025, PMC11814341).
    public static let leastSpacing: Microseconds = 30_000
    /// The number of clicks that may follow each other after a rest. The densest of Apple's sample
    /// patterns has 51 taps in a second.
    public static let mostAtOnce = 60
    /// The number of clicks in each second that may follow those, for however long.
    public static let mostPerSecond = 8

    /// The time for which one click counts, in microseconds.
    private static let cost: Microseconds = 1_000_000 / Microseconds(mostPerSecond)

    /// The last click that was played.
    private var last: Microseconds?
    /// The time until no click counts any more, from the last one that was played.
    private var load: Microseconds = 0

    /// Makes a limiter that has not had any clicks.
    public init(spacing: Microseconds = leastSpacing) { self.spacing = spacing }

    /// Decides about a click. One that is not played counts for nothing. A time before that of the
    /// last click is treated as that time.
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
