// StudioInbox: what has happened and the studio has not taken note of.

import BridgeLive
import HapticBridge
import SerialPorts

/// The news that other threads have for the studio.
enum StudioNews: Sendable {
    case opened(PageConnection)
    case message(PageConnection, String)
    case closed(PageConnection)
    /// A browser that has not been let in has asked for the page; the address would let it in.
    case stranger(String)
    /// A start of the engine, by its number, has succeeded; or has not, for a reason.
    case started(Int, (any Error)?)
    /// The engine has stopped by itself, or the board was reset.
    case lost
    /// The engine has been stopped: everything is at rest, or gone for a reason.
    case rested((any Error)?)
    case analysed(StudioAnalysis)
}

/// The news in the order in which they came.
final class StudioInbox: Sendable {
    /// Signalled with each news.
    let wakeUp: WakeUp
    private let news = LockedValue<[StudioNews]>([])

    /// Throws `ToolError` if the process has no descriptors left.
    init() throws {
        do { wakeUp = try WakeUp() } catch { throw ToolError(error, port: nil) }
    }

    func post(_ one: StudioNews) {
        news.withLock { $0.append(one) }
        wakeUp.signal()
    }

    /// Takes all news.
    func take() -> [StudioNews] {
        news.withLock { news in
            defer { news = [] }
            return news
        }
    }
}
