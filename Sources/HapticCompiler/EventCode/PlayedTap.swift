// PlayedTap: a tap of a stream, with the tap gain applied.

/// A tap of a stream, with the tap gain applied.
public struct PlayedTap: Sendable, Hashable {
    /// The time of the tap, in ticks from the start of the stream.
    public var tick: Ticks
    /// The intensity of the tap, scaled by the tap gain at the time of the tap, 0...255.
    public var level: Int
    /// The sharpness of the tap, 0...255.
    public var sharpness: UInt8
}
