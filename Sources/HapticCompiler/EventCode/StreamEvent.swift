// StreamEvent: one event of a stream as the device executes it. The compiler, the encoder, the
// decoder and the listing all use this type.

/// One event of a stream, which consists of a time and an action (SPEC 7).
///
/// Slots, copies, round values and waits are properties of the encoding and do not occur in this
/// type.
public struct StreamEvent: Sendable, Hashable {
    /// The action of an event. Levels, intensities, sharpnesses and gains are 0...255.
    public enum Content: Sendable, Hashable {
        /// A tap, which overrides the level while it is played.
        case tap(intensity: UInt8, sharpness: UInt8)
        /// A jump in the level, which ends any ramp of the level.
        case level(UInt8)
        /// A jump in the level and the sharpness, which ends the ramps of both values.
        case levelSharpness(level: UInt8, sharpness: UInt8)
        /// A linear change of the level to a value over a number of ticks.
        case levelRamp(to: UInt8, duration: Ticks)
        /// A linear change of the sharpness to a value over a number of ticks. With 0 ticks, the
        /// change is a jump.
        case sharpnessRamp(to: UInt8, duration: Ticks)
        /// A linear change of the tap gain to a value over a number of ticks. With 0 ticks, the
        /// change is a jump.
        case tapGain(to: UInt8, duration: Ticks)
        /// The end of the stream, which sets the level to 0.
        case end
    }

    /// The duration of a ramp in ticks; 0 for other events.
    public var duration: Ticks {
        switch content {
        case .levelRamp(_, let duration), .sharpnessRamp(_, let duration),
            .tapGain(_, let duration):
            duration
        case .tap, .level, .levelSharpness, .end: 0
        }
    }

    /// The time of the event, in ticks from the start of the stream.
    public var tick: Ticks
    /// The action of the event.
    public var content: Content

    /// Creates an event.
    public init(_ content: Content, at tick: Ticks) {
        self.content = content
        self.tick = tick
    }
}
