// EngineMailbox: the messages between an engine and its board's thread.

import BridgeLink
import HapticBoards
import Logging
import SerialPorts

/// An engine from its start to its stop, in the form in which its board's thread knows it.
package final class EngineMailbox: Sendable {
    /// The purpose of a mailbox.
    package enum Purpose: Sendable, Equatable {
        /// An engine that is felt at a locality.
        case engine(HapticLocality)
        /// A question for the board's actuators, which plays nothing.
        case survey
        /// A session with the board, of which only questions and STOP reach it.
        case relay
        /// A wish that the board be let go, which is granted unless anything plays.
        case release
        /// Service for other programs. It keeps the board even while there is no engine, and ends
        /// everything at its own end.
        case service

        /// True if a program on another computer may have such a mailbox: it plays, asks and stops,
        /// and neither changes a board nor takes it from others.
        package var isForRemotePrograms: Bool {
            switch self {
            case .engine, .survey, .relay: true
            case .release, .service: false
            }
        }
    }

    package let purpose: Purpose
    /// The name of the program that has the engine; nil if it is this one.
    package let program: String?
    /// The number that distinguishes the engine from all others that this process serves; never 0.
    package let number = lastNumber.withLock { last in
        last += 1
        return last
    }
    /// The host time at which the engine asked to be served.
    let begunAt: HostTime
    /// True if another program serves the board.
    package let isServedElsewhere = LockedValue(false)
    private let wakeUp: LockedValue<WakeUp>
    /// The requests, of which those of one element are taken together.
    private let requests = LockedValue<[[EngineRequest]]>([])
    private let report: @Sendable (EngineMailbox, EngineReport) -> Void

    private static let lastNumber = LockedValue<UInt32>(0)

    /// The host time at which another program that has the engine was last heard.
    private let heardAt: LockedValue<HostTime>

    /// The time without a word for which another program may play, in microseconds.
    package static let silenceLimit: Microseconds = 250_000

    /// Makes a mailbox.
    ///
    /// - Parameters:
    ///   - program: the name of the program that has the engine; nil if it is this one.
    ///   - wakeUp: the signal that wakes the board's thread.
    ///   - now: the host time.
    ///   - report: receives the reports, on the board's thread.
    package init(
        for purpose: Purpose, of program: String? = nil, wakeUp: WakeUp,
        at now: HostTime = Link.now(),
        _ report: @escaping @Sendable (EngineMailbox, EngineReport) -> Void
    ) {
        begunAt = now
        heardAt = LockedValue(now)
        self.purpose = purpose
        self.program = program
        self.wakeUp = LockedValue(wakeUp)
        self.report = report
    }

    /// True if the mailbox keeps the board for others, or ends everything on it.
    var isForAll: Bool { purpose == .service || purpose == .release }

    /// The host time at which the program that has the engine is silent for too long; nil if it is
    /// this one.
    var silentAt: HostTime? {
        program.map { _ in heardAt.withLock { $0 } + Self.silenceLimit }
    }

    /// Notes that the program that has the engine is alive.
    package func noteAlive(at now: HostTime = Link.now()) { heardAt.withLock { $0 = now } }

    /// Adds a request and wakes the thread.
    package func post(_ request: EngineRequest) { post([request]) }

    /// Adds requests that the thread takes together, and wakes it.
    package func post(_ several: [EngineRequest]) {
        requests.withLock { $0.append(several) }
        wakeUp.withLock { $0 }.signal()
    }

    /// Assigns the mailbox to another thread, which looks at its requests afterwards.
    package func move(to wakeUp: WakeUp) { self.wakeUp.withLock { $0 = wakeUp } }

    /// Takes requests, `most` of them at most: a longer post is divided.
    package func takeRequests(atMost most: Int = .max) -> [EngineRequest] {
        requests.withLock { requests in
            var taken: [EngineRequest] = []
            var posts = 0
            while posts < requests.count, taken.count < most {
                let part = requests[posts].prefix(most - taken.count)
                taken += part
                if part.count < requests[posts].count {
                    requests[posts].removeFirst(part.count)
                } else {
                    posts += 1
                }
            }
            requests.removeFirst(posts)
            return taken
        }
    }

    /// Puts requests back that were taken and not handled.
    package func putBack(_ taken: [EngineRequest]) { requests.withLock { $0.insert(taken, at: 0) } }

    /// The number of posts whose requests were not taken.
    package var posts: Int { requests.withLock(\.count) }

    /// True if a stop was requested that the thread has not handled yet.
    package var isToStop: Bool {
        requests.withLock { requests in
            requests.joined().contains { if case .stop = $0 { true } else { false } }
        }
    }

    /// Sends a report to the engine. Called on the board's thread.
    package func tell(_ report: EngineReport) { self.report(self, report) }
}
