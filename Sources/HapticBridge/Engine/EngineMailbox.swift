// EngineMailbox: what an engine and its board's thread have to say to each other.

import BridgeLink
import Logging

/// What is asked of the thread, from any other.
enum EngineRequest: Sendable {
    case perform(PlayerCommand, PlayerID)
    case mute(Bool)
    /// Logs the frames of its board; nil: no more.
    case log(Logger?)
    /// Ends it when nothing has played for so long; nil: never.
    case shutDown(afterIdle: Microseconds?)
    /// Goes on after a reset of the board.
    case restart
    /// Brings everything to rest and ends it.
    case stop
}

/// What the thread tells, in order.
enum EngineReport: Sendable {
    /// The board has answered, at this place.
    case connected(BoardPlace)
    /// The board plays what is asked for from now on.
    case started
    /// There is no board, or it cannot play. It has ended.
    case failed(HapticError)
    /// These players are over.
    case finished([PlayerID])
    /// The board was reset and is in a new session; it waits for `restart`.
    case reset
    /// The board is gone. It has ended.
    case lost(HapticError)
    /// The newest figures.
    case measured(HapticEngine.Statistics)
    /// The board has counted faults: those that it has latched.
    case faults(Faults)
    /// Nothing has played for long enough: it may be stopped.
    case idle
    /// Another engine is served that this one gives way to: it is to be stopped.
    case outranked
    /// What was asked of the board by someone who has no engine. It has ended.
    case surveyed([ActuatorStatus])
    /// It has ended because it was asked to.
    case stopped
}

/// An engine from its start to its stop, as its board's thread knows it.
final class EngineMailbox: Sendable {
    /// Where on the board it is felt; nil: nowhere, it only looks what is there.
    let locality: HapticLocality?
    /// Whether it stops where another one is served.
    let givesWay: Bool
    /// The engine; nil for someone who has none. The two know each other until the engine has ended.
    let engine: EngineCore?
    /// When it was asked to be served.
    let begunAt: Microseconds
    private let wakeUp: Guarded<WakeUp>
    private let requests = Guarded<[EngineRequest]>([])
    private let report: @Sendable (EngineMailbox, EngineReport) -> Void

    /// That of an engine.
    ///
    /// - Parameters:
    ///   - wakeUp: that of the thread.
    ///   - now: host time.
    init(_ engine: EngineCore, wakeUp: WakeUp, at now: Microseconds = Link.now()) {
        begunAt = now
        locality = engine.locality
        givesWay = engine.givesWay
        self.engine = engine
        self.wakeUp = Guarded(wakeUp)
        report = { engine.take($1, from: $0) }
    }

    /// That of someone who wants to know what is there.
    init(wakeUp: WakeUp, survey: @escaping @Sendable (EngineReport) -> Void) {
        begunAt = Link.now()
        (locality, givesWay) = (nil, false)
        engine = nil
        self.wakeUp = Guarded(wakeUp)
        report = { survey($1) }
    }

    /// Leaves a request, and wakes the thread.
    func post(_ request: EngineRequest) {
        requests.withLock { $0.append(request) }
        wakeUp.withLock { $0 }.signal()
    }

    /// Has another thread serve it from now on, which looks at its requests after this.
    func move(to wakeUp: WakeUp) { self.wakeUp.withLock { $0 = wakeUp } }

    func takeRequests() -> [EngineRequest] {
        requests.withLock { requests in
            defer { requests.removeAll(keepingCapacity: true) }
            return requests
        }
    }

    /// Whether a stop was asked for that was not taken yet.
    var isToStop: Bool {
        requests.withLock { requests in
            requests.contains { if case .stop = $0 { true } else { false } }
        }
    }

    /// Called on the thread.
    func tell(_ report: EngineReport) { self.report(self, report) }
}
