// LevelCurve: the mapping of levels to register values.

import CBridgeProtocol

/// The curve that maps a level to a register value before the value is clamped. The curve consists
/// of two straight lines: from `low` to `mid` at level 128, and from `mid` to `high` (SPEC 8).
public struct LevelCurve: Hashable, Sendable {
    /// The value of the curve for the lowest level above 0.
    public var low: UInt8
    /// The value of the curve at level 128.
    public var mid: UInt8
    /// The value of the curve at level 255.
    public var high: UInt8

    /// Creates a curve through three values.
    public init(low: UInt8, mid: UInt8, high: UInt8) {
        self.low = low
        self.mid = mid
        self.high = high
    }

    /// The curve that leaves every level unchanged.
    public static let identity = LevelCurve(low: 0, mid: 128, high: 255)
}
