// PlayedTap: a tap of a stream under the tap gain.

/// A tap of a stream under the tap gain.
public struct PlayedTap: Sendable, Hashable {
    /// The time of the tap, in ticks from the start of the stream.
    public var tick: Ticks
    /// The intensity of the tap under the tap gain at its time, 0...255.
    public var level: Int
    /// The sharpness of the tap, 0...255.
    public var sharpness: UInt8
}
