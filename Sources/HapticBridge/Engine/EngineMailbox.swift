// EngineMailbox: the messages between an engine and its board's thread.

import BridgeLink
import Logging
import SerialPorts

/// An engine from its start to its stop, in the form in which its board's thread knows it.
final class EngineMailbox: Sendable {
    /// The locality at which the engine is felt; nil for a survey, which plays nothing.
    let locality: HapticLocality?
    /// Whether the engine stops when another one is served.
    let givesWay: Bool
    /// The engine; nil for a survey. The mailbox and the engine refer to each other until the
    /// engine has ended.
    let engine: (any ServedEngine)?
    /// The host time at which the engine asked to be served.
    let begunAt: HostTime
    private let wakeUp: LockedValue<WakeUp>
    private let requests = LockedValue<[EngineRequest]>([])
    private let report: @Sendable (EngineMailbox, EngineReport) -> Void

    /// Makes the mailbox of an engine.
    ///
    /// - Parameters:
    ///   - wakeUp: the signal that wakes the board's thread.
    ///   - now: the host time.
    init(_ engine: any ServedEngine, wakeUp: WakeUp, at now: HostTime = Link.now()) {
        begunAt = now
        locality = engine.locality
        givesWay = engine.givesWay
        self.engine = engine
        self.wakeUp = LockedValue(wakeUp)
        report = { engine.take($1, from: $0) }
    }

    /// Makes the mailbox of a survey, which asks a board for its actuators.
    init(wakeUp: WakeUp, survey: @escaping @Sendable (EngineReport) -> Void) {
        begunAt = Link.now()
        (locality, givesWay) = (nil, false)
        engine = nil
        self.wakeUp = LockedValue(wakeUp)
        report = { survey($1) }
    }

    /// Adds a request and wakes the thread.
    func post(_ request: EngineRequest) {
        requests.withLock { $0.append(request) }
        wakeUp.withLock { $0 }.signal()
    }

    /// Assigns the mailbox to another thread, which looks at its requests afterwards.
    func move(to wakeUp: WakeUp) { self.wakeUp.withLock { $0 = wakeUp } }

    func takeRequests() -> [EngineRequest] {
        requests.withLock { requests in
            defer { requests.removeAll(keepingCapacity: true) }
            return requests
        }
    }

    /// Whether a stop was requested that the thread has not handled yet.
    var isToStop: Bool {
        requests.withLock { requests in
            requests.contains { if case .stop = $0 { true } else { false } }
        }
    }

    /// Sends a report to the engine. Called on the board's thread.
    func tell(_ report: EngineReport) { self.report(self, report) }
}
