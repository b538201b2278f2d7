// From microseconds to the ticks of the event stream. The one place where time is rounded.

public import AHAP
internal import CBridgeProtocol

/// A point in time or a length of time, in ticks of the event stream (SPEC 5).
///
/// A compiled tick lasts ``StreamTime/tick`` microseconds. Never negative.
public typealias Ticks = Int

/// How microseconds and ticks translate into each other.
public enum StreamTime {
    /// The length of a tick in microseconds (`BRIDGE_TICK_US`).
    public static let tick = Microseconds(BRIDGE_TICK_US)
    /// The longest delta or duration that one event can carry, in ticks (`BRIDGE_TICKS_MAX`).
    public static let longestDelta = Ticks(BRIDGE_TICKS_MAX)

    /// The tick nearest to a time of 0 or later; of two equally near ones, the later.
    public static func nearestTick(to time: Microseconds) -> Ticks {
        Ticks((time + tick / 2) / tick)
    }

    /// The first tick that is not before a time of 0 or later.
    static func firstTick(from time: Microseconds) -> Ticks {
        Ticks((time + (tick - 1)) / tick)
    }

    /// The time of a tick, in microseconds.
    public static func time(of tick: Ticks) -> Microseconds {
        Microseconds(tick) * self.tick
    }
}

extension Double {
    /// A value of 0...1 on the scale of the wire, 0...255, not yet rounded.
    var onWireScale: Double { self * 255 }

    /// The nearest wire value, 0...255; halves round up, as the device does.
    var nearestWireValue: UInt8 { UInt8(Swift.min(Swift.max((self + 0.5).rounded(.down), 0), 255)) }
}
