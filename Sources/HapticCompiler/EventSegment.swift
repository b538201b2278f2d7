// EventSegment: a part of a stream.

import HapticPatterns

/// A part of the stream: the result of one call of the compiler.
public struct EventSegment: Sendable, Equatable {
    /// The event code (SPEC 7) that continues the bytes of the segments before.
    public var bytes: [UInt8]
    /// The events that became final. If the compiler is live, their bytes may come with a later
    /// segment; otherwise the events come with their bytes.
    public var events: [StreamEvent]
    /// True if the stream ends with this segment. If so, the segment contains END and none follows.
    public var hasEnded: Bool

    /// Makes a segment; by default an empty one.
    public init(bytes: [UInt8] = [], events: [StreamEvent] = [], hasEnded: Bool = false) {
        self.bytes = bytes
        self.events = events
        self.hasEnded = hasEnded
    }
}
