// TickScale: the length of a tick in device microseconds (SPEC 5).

import CBridgeProtocol

/// The number of device microseconds per tick, as an 8.24 fixed-point number (SPEC 5).
public struct TickScale: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates the scale of a tick.
    ///
    /// - Parameter microseconds: the length of a tick, 1/16 to 255. Values outside this range are
    ///   clamped.
    public init(microseconds: Double) {
        let clamped = min(max(microseconds, 1.0 / 16), 255)
        rawValue = UInt32((clamped * Self.unit).rounded())
    }

    /// The scale for `TICK_US`, the tick length that hosts compile for, on a device whose clock is
    /// exact.
    public static let nominal = TickScale(microseconds: Double(BRIDGE_TICK_US))

    /// The length of a tick in device microseconds.
    public var microseconds: Double { Double(rawValue) / Self.unit }

    private static let unit = Double(1 << UInt32(BRIDGE_SCALE_FRACTION_BITS))
}
