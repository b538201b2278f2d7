// AuditionInbox: the messages of an editor that are still to be processed.

import BridgeLink
import SerialPorts
import Synchronization

/// A clip or a file that an editor has sent.
struct EditedPattern: Sendable {
    /// The editor's id of the clip; empty if it has none.
    var id = ""
    /// The display name; empty if there is none.
    var name = ""
    var bytes: [UInt8]
    /// True if the pattern is played; false if it is only compared with the next edit.
    var isPlayed = true
    /// The number of sounds in the same package, which are not played.
    var sounds = 0
}

/// The most recent messages from the connection to an editor.
///
/// The connection runs on its own thread and may deliver edits faster than the board plays them.
/// Only the newest pattern is stored, so that an editor can exhaust neither memory nor time.
final class AuditionInbox: Sendable {
    struct Events: Sendable {
        var isOpen = false
        /// The request for the digits that the editor displays: true if the previous digits were
        /// wrong; nil if the user does not have to enter any digits.
        var question: Bool?
        /// True if the current playback has to stop before the new pattern plays.
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

    /// Waits for messages, at most for an interval in microseconds. Removes the messages from the
    /// inbox and returns them.
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
