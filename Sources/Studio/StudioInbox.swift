// StudioInbox: the queue of events for the thread of the studio.

import HapticBridge
import LocalServers
import SerialPorts
import ToolSupport

/// An event from another thread.
package enum StudioEvent: Sendable {
    case opened(PageConnection)
    case message(PageConnection, String)
    case closed(PageConnection)
    /// A browser without access has requested the page. The string is an address that grants access
    /// to one browser.
    case stranger(String)
    /// The start of the engine with this number has succeeded, or failed with an error.
    case started(Int, (any Error)?)
    /// The engine has stopped unexpectedly, or the board was reset.
    case lost
    /// The board has reported faults, and continues to play.
    case faults(HapticError)
    /// The engine has stopped on request: the board has confirmed that it is at rest, or an error
    /// has prevented this confirmation.
    case rested((any Error)?)
    case analysed(StudioAnalysis)
    /// The measurement has ended.
    case measured(StudioOutcome)
}

/// Queues events in the order of their arrival.
package final class StudioInbox: Sendable {
    /// A signal that is set for each event.
    let eventSignal: EventSignal
    /// The queued events; nil after the studio has ended.
    private let events = LockedValue<[StudioEvent]?>([])

    /// Creates an empty queue. Throws `ToolError` if the process has no file descriptors left.
    package init() throws {
        do { eventSignal = try EventSignal() } catch { throw ToolError(error, port: nil) }
    }

    /// Appends an event, unless the studio has ended.
    package func post(_ one: StudioEvent) {
        events.withLock { $0?.append(one) }
        eventSignal.signal()
    }

    /// Removes and returns all events.
    func drain() -> [StudioEvent] {
        events.withLock { events in
            defer { events = events.map { _ in [] } }
            return events ?? []
        }
    }

    /// Discards the queued events and all later events. Otherwise, the events would retain the
    /// pages, which retain the queue.
    package func close() { events.withLock { $0 = nil } }
}
