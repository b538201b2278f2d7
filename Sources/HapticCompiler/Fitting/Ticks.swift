// Ticks: converts microseconds to ticks of the event stream. No other code rounds times.

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

    /// Returns the tick that is nearest to a time, which must not be negative. If two ticks are
    /// equally near, returns the later tick.
    public static func nearestTick(to time: Microseconds) -> Ticks {
        Ticks((time + tick / 2) / tick)
    }

    /// Returns the first tick at or after a time, which must not be negative.
    package static func firstTick(from time: Microseconds) -> Ticks {
        Ticks((time + (tick - 1)) / tick)
    }

    /// Returns the time of a tick, in microseconds.
    public static func time(of tick: Ticks) -> Microseconds {
        Microseconds(tick) * self.tick
    }
}

extension Double {
    /// The value, 0...1, converted to the wire scale, 0...255, without rounding.
    var onWireScale: Double { self * 255 }

    /// The nearest wire value, 0...255. As on the device, halves are rounded up.
    var nearestWireValue: UInt8 { UInt8(Swift.min(Swift.max((self + 0.5).rounded(.down), 0), 255)) }
}
