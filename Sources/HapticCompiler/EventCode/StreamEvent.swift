// StreamEvent: one event of the stream as the device executes it. The compiler, the encoder, the
// decoder and the listing use this type.

/// One event of a stream, fully resolved: a time and an action (SPEC 7).
///
/// Slots, copies, round values and waits belong to the encoding of events and are not part of this
/// type.
public struct StreamEvent: Sendable, Hashable {
    /// The action of an event. Levels, intensities, sharpnesses and gains are 0...255.
    public enum Content: Sendable, Hashable {
        /// A tap that is played over the running level.
        case tap(intensity: UInt8, sharpness: UInt8)
        /// A jump of the level, which ends the level's ramp.
        case level(UInt8)
        /// A jump of level and sharpness, which ends both ramps.
        case levelSharpness(level: UInt8, sharpness: UInt8)
        /// A linear change of the level to a value over a number of ticks.
        case levelRamp(to: UInt8, duration: Ticks)
        /// A linear change of the sharpness to a value over a number of ticks; 0 ticks mean a jump.
        case sharpnessRamp(to: UInt8, duration: Ticks)
        /// A linear change of the tap gain to a value over a number of ticks; 0 ticks mean a jump.
        case tapGain(to: UInt8, duration: Ticks)
        /// The end of the stream, which sets the level to 0.
        case end
    }

    /// The time of the event, in ticks from the start of the stream.
    public var tick: Ticks
    /// The action of the event.
    public var content: Content

    /// Makes an event.
    public init(_ content: Content, at tick: Ticks) {
        self.content = content
        self.tick = tick
    }
}
