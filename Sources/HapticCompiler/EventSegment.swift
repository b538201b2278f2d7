// EventSegment: a segment of an event stream.

import HapticPatterns

/// A segment of an event stream, returned by one call of the compiler.
public struct EventSegment: Sendable, Equatable {
    /// The event code (SPEC 7), which continues the bytes of the previous segments.
    public var bytes: [UInt8]
    /// The events that became final. A live compiler may return their bytes with a later segment; a
    /// batch compiler returns each event together with its bytes.
    public var events: [StreamEvent]
    /// True if the stream ends with this segment. The segment then contains END, and no other
    /// segment follows.
    public var hasEnded: Bool

    /// Makes a segment, which is empty by default.
    public init(bytes: [UInt8] = [], events: [StreamEvent] = [], hasEnded: Bool = false) {
        self.bytes = bytes
        self.events = events
        self.hasEnded = hasEnded
    }
}
