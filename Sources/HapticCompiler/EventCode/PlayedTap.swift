// PlayedTap: a tap as it is felt.

/// A tap as it is felt.
public struct PlayedTap: Sendable, Hashable {
    /// The time of the tap, in ticks from the start of the stream.
    public var tick: Ticks
    /// The intensity of the tap under the tap gain at its time, 0...255.
    public var level: Int
    /// The sharpness of the tap, 0...255.
    public var sharpness: UInt8
}
