// AuditionInbox: what an editor has sent and the board has not been told of.

import BridgeLink
import SerialPorts
import Synchronization

/// A clip or a file that an editor has sent.
struct EditedPattern: Sendable {
    /// The editor's id of the clip; empty if it has none.
    var id = ""
    /// The name for people; empty if it has none.
    var name = ""
    var bytes: [UInt8]
    /// True if it plays; otherwise the next edit is compared with it.
    var isPlayed = true
    /// The number of sounds that came with it, which nothing plays.
    var sounds = 0
}

/// The newest of everything that a link to an editor tells.
///
/// The link runs on a thread of its own, and may be faster than the board is told. Only the newest
/// pattern is kept, so that an editor can use up neither memory nor time.
final class AuditionInbox: Sendable {
    struct News: Sendable {
        var isOpen = false
        /// True if the digits have to be typed; true if those before were wrong.
        var question: Bool?
        /// True if what plays has to stop, before the pattern plays.
        var stops = false
        var pattern: EditedPattern?
        var refusal: String?
        var end: String?

        var isEmpty: Bool {
            !isOpen && question == nil && !stops && pattern == nil && refusal == nil && end == nil
        }
    }

    private let news = Mutex(News())
    private let isChanged = hostClock.makeSemaphore()

    func post(_ change: (inout sending News) -> Void) {
        news.withLock { change(&$0) }
        isChanged.signal()
    }

    func post(_ pattern: EditedPattern) { post { $0.pattern = pattern } }

    /// Posts that what plays has to stop, and what has not begun is not wanted any more.
    func postStop() {
        post {
            $0.stops = true
            $0.pattern = nil
        }
    }

    /// Waits for news, for a time in microseconds at most, and takes them.
    func take(within interval: Microseconds) -> News {
        if isChanged.wait(until: Link.now() + interval) {
            while isChanged.wait(until: Link.now()) {}
        }
        return news.withLock { news in
            let taken = news
            news = News()
            return taken
        }
    }
}
