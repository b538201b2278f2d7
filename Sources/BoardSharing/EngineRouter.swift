// EngineRouter: an engine whose board another process serves.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// Connects an engine to its board through the process that serves the board. If there is no such
/// process, starts one; if that is not possible, serves the board on a thread of this process.
///
/// A thread forwards requests from the engine's mailbox to the process, and reports from the
/// process to the mailbox.
package final class EngineRouter: Sendable {
    private let source: BoardSource
    private let server: @Sendable () -> ServerProgram?
    private let identity: BoardIdentity
    private let mailbox: EngineMailbox
    private let eventSignal: EventSignal

    /// The interval between two messages that report that this process is alive, in microseconds.
    private static let aliveInterval: Microseconds = 60_000
    /// The time without a message after which the connection to the serving process is abandoned,
    /// in microseconds.
    private static let silenceLimit: Microseconds = 2_000_000
    /// The timeout for a start or a survey while the serving process responds, in microseconds. The
    /// serving process has a timeout of its own of 5 s.
    private static let startLimit: Microseconds = 8_000_000

    /// Starts to serve an engine. A separate process is preferred as the server of its board,
    /// because it outlives the programs that play.
    ///
    /// - Parameters:
    ///   - server: a closure that returns the program to start if no process serves the board; nil
    ///     if no program is to be started.
    ///   - wanted: the current identity of the board.
    ///   - report: a closure that receives the reports, on another thread.
    /// - Throws: `HapticError` if the process has no file descriptors left.
    package static func serve(
        _ source: BoardSource, by server: @escaping @Sendable () -> ServerProgram?,
        at wanted: BoardIdentity, _ purpose: EngineMailbox.Purpose,
        _ report: @escaping @Sendable (EngineMailbox, EngineReport) -> Void
    ) throws -> EngineMailbox {
        let eventSignal: EventSignal
        do { eventSignal = try EventSignal() } catch { throw HapticError(connecting: error) }
        let mailbox = EngineMailbox(for: purpose, eventSignal: eventSignal, report)
        if source.servedPort == nil || BoardThread.isRunning(at: wanted) {
            try BoardThread.serve(mailbox, source, at: wanted)
            return mailbox
        }
        let engine = EngineRouter(source, server, wanted, mailbox, eventSignal)
        Thread.start("haptic-bridge.engine", qualityOfService: .userInteractive) { engine.run() }
        return mailbox
    }

    private init(
        _ source: BoardSource, _ server: @escaping @Sendable () -> ServerProgram?,
        _ identity: BoardIdentity, _ mailbox: EngineMailbox, _ eventSignal: EventSignal
    ) {
        (self.source, self.server, self.identity) = (source, server, identity)
        (self.mailbox, self.eventSignal) = (mailbox, eventSignal)
    }

    private func run() {
        do {
            try connectAndRun()
        } catch {
            mailbox.tell(.failed(HapticError(connecting: error)))
        }
    }

    private func connectAndRun() throws {
        let deadline = Link.now() + BoardServerClient.startTime
        while Link.now() < deadline, let port = source.servedPort?(),
            let line = try connect(to: port)
        {
            if mailbox.isToStop { return mailbox.tell(.stopped) }
            var session = Session(line, mailbox, eventSignal)
            session.run()
            // A process that is about to end accepts connections but does not answer.
            guard session.isUnanswered else { return }
            eventSignal.wait(timeout: BoardServerClient.attemptInterval)
        }
        if mailbox.isToStop { return mailbox.tell(.stopped) }
        try BoardThread.serve(mailbox, source, at: identity)
    }

    /// Connects to the process that serves a port, and starts this process if it is not running.
    /// Returns nil if this program has to serve the board itself, or if the engine was stopped.
    private func connect(to port: String) throws -> MessageConnection? {
        guard !NetworkAddress.isMeant(by: port) else { return try connectAside(to: port) }
        return try BoardServerClient.begin(
            port: port, server(), while: { !mailbox.isToStop },
            wait: { eventSignal.wait(timeout: $0) },
            connect: { try BoardServerClient.line(port: port, for: mailbox.purpose) })
    }

    /// Connects on another thread, because resolving a host name cannot be interrupted. If the
    /// engine is stopped, that thread is abandoned.
    private func connectAside(to port: String) throws -> MessageConnection? {
        let outcome = LockedValue<Result<MessageConnection?, any Error>?>(nil)
        Thread.start("haptic-bridge.connect", qualityOfService: .userInitiated) {
            [purpose = mailbox.purpose, eventSignal] in
            let result = Result { try BoardServerClient.line(port: port, for: purpose) }
            outcome.withLock { $0 = result }
            eventSignal.signal()
        }
        while !mailbox.isToStop {
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            eventSignal.wait(timeout: Self.aliveInterval)
        }
        return nil
    }

    /// A connection to the serving process, from its beginning to its end.
    private struct Session {
        let line: MessageConnection
        let mailbox: EngineMailbox
        let eventSignal: EventSignal
        private var heardAt = Link.now()
        private var saidAt = Link.now()
        /// The host time of the last turn.
        private var turnedAt = Link.now()
        /// The host time of the last message that queried the other computer's clock or reported
        /// that this program is alive.
        private var askedAt = Link.now()
        private var hasStarted = false
        /// The requests that were sent before the first answer.
        private var unanswered: [EngineRequest] = []
        /// The remaining messages of the requests that were taken last.
        private var speech = Speech([])
        private var isAnswered = false
        private var isOver = false
        /// The host time at which a start times out.
        private let startEnds: HostTime
        /// The time at which this process resumed after it had been suspended for so long that the
        /// serving process discarded its players; nil if it has not been suspended for that long.
        private var wentOnAt: HostTime?
        /// The clock of the other computer; nil if the serving process is on this computer.
        private var clock: RemoteClock?

        private static let hasEnded = "the process that serves the board has ended"

        /// The number of answers that are needed before times are converted.
        private static let clockAnswers = 8
        /// The interval between clock queries until times are converted, in microseconds.
        private static let clockInterval: Microseconds = 5_000

        init(_ line: MessageConnection, _ mailbox: EngineMailbox, _ eventSignal: EventSignal) {
            (self.line, self.mailbox, self.eventSignal) = (line, mailbox, eventSignal)
            startEnds = Link.now() + EngineRouter.startLimit
            if line.isRemote { clock = RemoteClock() }
        }

        /// True if times can be converted, or need not be converted.
        private var isClockKnown: Bool { clock.map { $0.count >= Self.clockAnswers } ?? true }

        mutating func run() {
            eventSignal.signal()
            while !isOver {
                do {
                    try turn()
                } catch MessageConnection.Failure.ended {
                    end(Self.hasEnded)
                } catch {
                    end(WireError(error).fromServer)
                }
            }
        }

        /// True if the connection has ended before any answer was received. Its requests have then
        /// been put back into the mailbox.
        var isUnanswered: Bool { isOver && !isAnswered }

        private mutating func end(_ reason: String) {
            guard isAnswered else {
                mailbox.putBack(unanswered)
                isOver = true
                return
            }
            let error = HapticError(hasStarted ? .serverInterrupted : .serverInitFailed, reason)
            mailbox.tell(hasStarted ? lost(error) : .failed(error))
            isOver = true
        }

        private func lost(_ error: HapticError) -> EngineReport {
            wentOnAt.map { Link.now() - $0 < EngineRouter.silenceLimit } == true
                ? .suspended(
                    HapticError(
                        .serverInterrupted,
                        "the program did not run for 0.25 s (suspended, or the computer is too busy), so its "
                            + "players were stopped; start it again")
                )
                : .lost(error)
        }

        private mutating func turn() throws {
            wait()
            let now = Link.now()
            // While a backlog waits for a server that does not read, no message can be sent.
            let activeAt = line.hasBacklog ? turnedAt : saidAt
            if now - activeAt > EngineMailbox.silenceLimit { wentOnAt = now }
            turnedAt = now
            line.flush()
            try speak(at: now)
            line.read()
            while let data = try line.next() {
                (heardAt, isAnswered, unanswered) = (now, true, [])
                mailbox.isServedElsewhere.withLock { $0 = true }
                try take(JSONDecoder().decode(ServerMessage.self, from: data))
            }
            if !isOver, line.isClosed {
                end(Self.hasEnded)
            } else if !isOver, line.isBroken || now - heardAt > EngineRouter.silenceLimit {
                end("the process that serves the board does not answer")
            }
            if !isOver, !hasStarted, now > startEnds {
                mailbox.tell(
                    .failed(
                        HapticError(
                            .engineStartTimeout,
                            "the process that serves the board did not start the engine in time")))
                isOver = true
            }
        }

        /// Sends the messages that are due, as far as there is room. A backlog is written before
        /// more messages are added, and also counts as a sign of life.
        private mutating func speak(at now: HostTime) throws {
            if speech.isOver, !line.hasBacklog, isClockKnown {
                let requests = mailbox.takeRequests()
                if !isAnswered { unanswered += requests }
                speech = Speech(requests.map { moved($0, at: now) })
            }
            for _ in 0..<Self.messagesOfTurn where !line.hasBacklog {
                guard let message = speech.next() else { break }
                saidAt = now
                try line.send(message)
            }
            if !line.hasBacklog, now - saidAt >= aliveInterval || now - askedAt >= aliveInterval {
                (saidAt, askedAt) = (now, now)
                try line.send(ClientMessage.alive(askingAt: clock == nil ? nil : now))
            }
        }

        /// The maximum number of messages that are created in one turn, so that answers do not wait
        /// for all messages of a pattern.
        private static let messagesOfTurn = 8

        private func wait() {
            var requests = [eventSignal.request, line.socket.request(writing: line.hasBacklog)]
            let now = Link.now()
            let until =
                line.hasBacklog
                ? now + aliveInterval
                : speech.isOver ? min(saidAt, askedAt) + aliveInterval : now
            _ = hostClock.poll(&requests, until: until)
            if requests[0].revents != 0 { eventSignal.take() }
        }

        private var aliveInterval: Microseconds {
            isClockKnown ? EngineRouter.aliveInterval : Self.clockInterval
        }

        /// Returns a request with its times converted to the clock of the serving computer.
        private func moved(_ request: EngineRequest, at now: HostTime) -> EngineRequest {
            guard case .perform(let command, let player) = request,
                let offset = clock?.offset(at: now)?.offset
            else { return request }
            return .perform(command.moved(by: offset), player)
        }

        /// Returns a report whose error bounds include the error of the clock conversion.
        private func widened(_ report: EngineReport, at now: HostTime) -> EngineReport {
            guard case .measured(var statistics) = report,
                let bound = clock?.offset(at: now)?.errorBound
            else { return report }
            statistics.onsetError? += .microseconds(bound)
            statistics.clockBound? += .microseconds(bound)
            return .measured(statistics)
        }

        private mutating func take(_ message: ServerMessage) throws {
            switch message.kind {
            case .clock:
                clock?.note(
                    sent: HostTime(microseconds: try message.need(\.sent, "sent")),
                    answered: HostTime(microseconds: try message.need(\.time, "time")),
                    received: Link.now())
            case .refused:
                end(message.reason ?? "the process that serves the board rejected the request")
            default: if let report = try message.report() { pass(report) }
            }
        }

        private mutating func pass(_ report: EngineReport) {
            if case .started = report { hasStarted = true }
            if case .lost(let error) = report {
                mailbox.tell(lost(error))
            } else {
                mailbox.tell(widened(report, at: Link.now()))
            }
            isOver = isOver || report.isLast
        }
    }

    /// The messages of requests that take effect together. They are created one at a time.
    private struct Speech {
        private var messages: AnyIterator<ClientMessage>
        private var upcoming: ClientMessage?

        init(_ requests: [EngineRequest]) {
            messages = AnyIterator(
                requests.lazy.flatMap { ClientMessage.messages(for: $0) }.makeIterator())
            upcoming = messages.next()
        }

        var isOver: Bool { upcoming == nil }

        mutating func next() -> ClientMessage? {
            guard var message = upcoming else { return nil }
            upcoming = messages.next()
            message.more = isOver ? nil : true
            return message
        }
    }
}
