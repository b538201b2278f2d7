// EventSegment: a segment of an event stream.

import HapticPatterns

/// A segment of an event stream: the result of one call of the compiler.
public struct EventSegment: Sendable, Equatable {
    /// The event code (SPEC 7), which continues the bytes of the previous segments.
    public var bytes: [UInt8]
    /// The events that have become final. A live compiler may return the bytes of an event in a
    /// later segment; a batch compiler returns each event together with its bytes.
    public var events: [StreamEvent]
    /// True if the stream ends with this segment. The segment then contains END, and no further
    /// segment follows.
    public var hasEnded: Bool

    /// Creates a segment. By default, the segment is empty.
    public init(bytes: [UInt8] = [], events: [StreamEvent] = [], hasEnded: Bool = false) {
        self.bytes = bytes
        self.events = events
        self.hasEnded = hasEnded
    }
}
