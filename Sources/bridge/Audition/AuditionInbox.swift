// AuditionInbox: the messages from an editor that have not been processed yet.

import BridgeLink
import SerialPorts
import Synchronization

/// A clip or a file that an editor has sent.
struct EditedPattern: Sendable {
    /// The id that the editor uses for the clip; empty if the clip has no id.
    var id = ""
    /// The name to display; empty if the pattern has no name.
    var name = ""
    var bytes: [UInt8]
    /// True if the pattern is played; false if it serves only for comparison with the next edit.
    var isPlayed = true
    /// The number of sounds in the same package. These sounds are not played.
    var sounds = 0
}

/// The most recent messages from the connection to an editor.
///
/// The connection runs on its own thread and may deliver edits faster than the board plays them.
/// Only the newest pattern is stored, so that an editor cannot exhaust the memory or delay the
/// playback.
final class AuditionInbox: Sendable {
    struct Events: Sendable {
        var isOpen = false
        /// A request for the digits that the editor displays: true if the previous digits were
        /// wrong; nil if no digits are requested.
        var question: Bool?
        /// True if the current playback must stop before the new pattern plays.
        var stops = false
        var pattern: EditedPattern?
        var refusal: String?
        var end: String?

        var isEmpty: Bool {
            !isOpen && question == nil && !stops && pattern == nil && refusal == nil && end == nil
        }
    }

    private let events = Mutex(Events())
    private let isChanged = hostClock.makeSemaphore()

    func post(_ change: (inout sending Events) -> Void) {
        events.withLock { change(&$0) }
        isChanged.signal()
    }

    func post(_ pattern: EditedPattern) { post { $0.pattern = pattern } }

    /// Requests that the current playback stop, and discards a pattern that has not started.
    func postStop() {
        post {
            $0.stops = true
            $0.pattern = nil
        }
    }

    /// Waits for messages, but not longer than an interval in microseconds. Removes the messages
    /// from the inbox and returns them.
    func drain(within interval: Microseconds) -> Events {
        if isChanged.wait(until: Link.now() + interval) {
            while isChanged.wait(until: Link.now()) {}
        }
        return events.withLock { events in
            let drained = events
            events = Events()
            return drained
        }
    }
}
