// One event of the stream as the device executes it: the common language of encoder, decoder,
// compiler and listing.

/// One event of a stream, resolved: a time and what happens (SPEC 7).
///
/// Slots, copies, round values and waits are ways to write an event; they do not appear here.
public struct StreamEvent: Sendable, Hashable {
    /// What happens. Levels, intensities, sharpnesses and gains are 0...255.
    public enum Content: Sendable, Hashable {
        /// A tap over whatever runs.
        case tap(intensity: UInt8, sharpness: UInt8)
        /// A jump of the level; ends its ramp.
        case level(UInt8)
        /// A jump of level and sharpness; ends both ramps.
        case levelSharpness(level: UInt8, sharpness: UInt8)
        /// The level moves linearly to a value in so many ticks.
        case levelRamp(to: UInt8, duration: Ticks)
        /// The sharpness moves linearly to a value in so many ticks; 0 ticks are a jump.
        case sharpnessRamp(to: UInt8, duration: Ticks)
        /// The gain of taps moves linearly to a value in so many ticks; 0 ticks are a jump.
        case tapGain(to: UInt8, duration: Ticks)
        /// Level 0; the stream is over.
        case end
    }

    /// When, in ticks from the start of the stream.
    public var tick: Ticks
    /// What.
    public var content: Content

    /// Makes an event.
    public init(_ content: Content, at tick: Ticks) {
        self.content = content
        self.tick = tick
    }
}
