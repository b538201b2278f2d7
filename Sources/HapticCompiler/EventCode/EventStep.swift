// EventStep: an event and the number of ticks since the previous event.

import CBridgeProtocol

/// An event and the number of ticks since the previous event. A step that has no content is a wait.
struct EventStep: Sendable, Hashable {
    var delta: Ticks
    var content: StreamEvent.Content?
}
