// EngineMailbox: the messages between an engine and its board's thread.

import BridgeLink
import HapticBoards
import Logging
import SerialPorts

/// The interface between an engine and its board's thread, from the engine's start to its stop.
package final class EngineMailbox: Sendable {
    /// The purpose of a mailbox.
    package enum Purpose: Sendable, Equatable {
        /// An engine that plays at a locality.
        case engine(HapticLocality)
        /// A query for the status of the board's actuators. The query plays nothing.
        case survey
        /// A virtual session with the board, through which only queries and STOP reach the board.
        case relay
        /// A request to release the board. The request is granted unless an engine is playing.
        case release
        /// The service for other programs. The service keeps the board connected even while there
        /// is no engine, and ends all engines when it ends.
        case service

        /// True if a program on another computer may have a mailbox with this purpose. A program on
        /// another computer may play on the board, query the board and stop it, but may neither
        /// change nor release the board.
        package var isForRemotePrograms: Bool {
            switch self {
            case .engine, .survey, .relay: true
            case .release, .service: false
            }
        }
    }

    package let purpose: Purpose
    /// The name of the program that owns the engine; nil if this program owns the engine.
    package let program: String?
    /// The number that distinguishes the engine from all other engines that this process serves;
    /// never 0.
    package let number = lastNumber.withLock { last in
        last += 1
        return last
    }
    /// The host time at which the mailbox was created.
    let begunAt: HostTime
    /// True if another program serves the board.
    package let isServedElsewhere = LockedValue(false)
    private let eventSignal: LockedValue<EventSignal>
    /// The requests that have not been removed. Each element is a post: requests that are handled
    /// together.
    private let requests = LockedValue<[[EngineRequest]]>([])
    private let handler: @Sendable (EngineMailbox, EngineReport) -> Void

    private static let lastNumber = LockedValue<UInt32>(0)

    /// The host time of the last message from the other program that owns the engine.
    private let lastReceived: LockedValue<HostTime>

    /// The time without a message after which the players of another program are stopped, in
    /// microseconds.
    package static let silenceLimit: Microseconds = 250_000

    /// Creates a mailbox.
    ///
    /// - Parameters:
    ///   - program: the name of the program that owns the engine; nil if this program owns the
    ///     engine.
    ///   - eventSignal: the signal that wakes the board's thread.
    ///   - now: the host time.
    ///   - handler: a closure that receives the reports, on the board's thread.
    package init(
        for purpose: Purpose, of program: String? = nil, eventSignal: EventSignal,
        at now: HostTime = Link.now(),
        _ handler: @escaping @Sendable (EngineMailbox, EngineReport) -> Void
    ) {
        begunAt = now
        lastReceived = LockedValue(now)
        self.purpose = purpose
        self.program = program
        self.eventSignal = LockedValue(eventSignal)
        self.handler = handler
    }

    /// True if the mailbox affects all programs: the mailbox either keeps the board open for all
    /// programs, or ends all engines on the board.
    var isForAll: Bool { purpose == .service || purpose == .release }

    /// The host time at which the program that owns the engine will have reached the limit of
    /// silence, unless a message arrives before that time; nil if this program owns the engine.
    var silentAt: HostTime? {
        program.map { _ in lastReceived.withLock { $0 } + Self.silenceLimit }
    }

    /// Records that the program that owns the engine is alive.
    package func recordActivity(at now: HostTime = Link.now()) {
        lastReceived.withLock { $0 = now }
    }

    /// Adds a request and wakes the thread.
    package func post(_ request: EngineRequest) { post([request]) }

    /// Adds requests that the thread handles together, and wakes the thread.
    package func post(_ several: [EngineRequest]) {
        requests.withLock { $0.append(several) }
        eventSignal.withLock { $0 }.signal()
    }

    /// Assigns the mailbox to another thread, which handles all later requests.
    package func move(to eventSignal: EventSignal) {
        self.eventSignal.withLock { $0 = eventSignal }
    }

    /// Removes and returns at most `most` requests. If only a part of a post is removed, its
    /// remaining requests stay in the mailbox.
    package func removeRequests(atMost most: Int = .max) -> [EngineRequest] {
        requests.withLock { requests in
            var removed: [EngineRequest] = []
            var posts = 0
            while posts < requests.count, removed.count < most {
                let part = requests[posts].prefix(most - removed.count)
                removed += part
                if part.count < requests[posts].count {
                    requests[posts].removeFirst(part.count)
                } else {
                    posts += 1
                }
            }
            requests.removeFirst(posts)
            return removed
        }
    }

    /// Puts back requests that were removed but not handled.
    package func putBack(_ removed: [EngineRequest]) {
        requests.withLock { $0.insert(removed, at: 0) }
    }

    /// The number of posts whose requests have not been removed.
    package var posts: Int { requests.withLock(\.count) }

    /// True if a stop was requested that the thread has not handled.
    package var isToStop: Bool {
        requests.withLock { requests in
            requests.joined().contains { if case .stop = $0 { true } else { false } }
        }
    }

    /// Sends a report to the engine. Must be called on the board's thread.
    package func report(_ report: EngineReport) { handler(self, report) }
}
