// Ticks: converts microseconds to ticks of the event stream. Times are rounded only here.

import CBridgeProtocol
import HapticPatterns

/// A point in time or a duration, in ticks of the event stream (SPEC 5).
///
/// Values are never negative. A tick of a compiled stream lasts ``StreamTime/tick`` microseconds.
public typealias Ticks = Int

/// Conversions between microseconds and ticks.
public enum StreamTime {
    /// The length of a tick in microseconds (`BRIDGE_TICK_US`).
    public static let tick = Microseconds(BRIDGE_TICK_US)
    /// The maximum delta or duration of one event, in ticks (`BRIDGE_TICKS_MAX`).
    public static let longestDelta = Ticks(BRIDGE_TICKS_MAX)

    /// Returns the tick nearest to a time of 0 or later. If two ticks are equally near, returns the
    /// later one.
    public static func nearestTick(to time: Microseconds) -> Ticks {
        Ticks((time + tick / 2) / tick)
    }

    /// Returns the first tick that is not before a time of 0 or later.
    static func firstTick(from time: Microseconds) -> Ticks {
        Ticks((time + (tick - 1)) / tick)
    }

    /// Returns the time of a tick, in microseconds.
    public static func time(of tick: Ticks) -> Microseconds {
        Microseconds(tick) * self.tick
    }
}

extension Double {
    /// A value of 0...1 converted to the scale of the wire, 0...255, without rounding.
    var onWireScale: Double { self * 255 }

    /// The nearest wire value, 0...255. Halves round up, as on the device.
    var nearestWireValue: UInt8 { UInt8(Swift.min(Swift.max((self + 0.5).rounded(.down), 0), 255)) }
}
