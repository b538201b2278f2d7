// EventStep: an event and the ticks before it.

import CBridgeProtocol

/// An event with the time since the event before it. A step without content is a wait.
struct EventStep: Sendable, Hashable {
    var delta: Ticks
    var content: StreamEvent.Content?
}
