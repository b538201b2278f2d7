// TapEvent: a tap or a change of the tap gain in the stream.

import HapticPatterns

/// A tap or a change of the tap gain, with its exact content and the alternatives that the writer
/// may choose from.
struct TapEvent: Sendable {
    var tick: Ticks
    var content: StreamEvent.Content
    var wanted: CandidateEvent

    init(tick: Ticks, content: StreamEvent.Content, wanted: CandidateEvent) {
        self.tick = tick
        self.content = content
        self.wanted = wanted
    }

    init(_ event: StreamEvent) {
        self.init(tick: event.tick, content: event.content, wanted: .exact(event.content))
    }

    var event: StreamEvent { StreamEvent(content, at: tick) }
}
