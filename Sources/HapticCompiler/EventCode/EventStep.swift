// EventStep: an event and the ticks since the previous event.

import CBridgeProtocol

/// An event and the ticks since the previous event. A step without content is a wait.
struct EventStep: Sendable, Hashable {
    var delta: Ticks
    var content: StreamEvent.Content?
}
