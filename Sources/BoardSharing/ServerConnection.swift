// ServerConnection: an engine's connection to the process that serves its board.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// The connection of an engine to the process that serves the engine's board, from the start of the
/// engine to its end.
///
/// The connection forwards the requests of the engine's mailbox to the process, and the reports of
/// the process to the mailbox.
struct ServerConnection {
    private let connection: MessageConnection
    private let mailbox: EngineMailbox
    private let eventSignal: EventSignal
    /// The host time at which the last message was received.
    private var lastReceived = Link.now()
    /// The host time at which the last message was sent.
    private var lastSent = Link.now()
    /// The host time of the last turn.
    private var turnedAt = Link.now()
    /// The host time of the last message that queried the other computer's clock or reported
    /// that this program is alive.
    private var askedAt = Link.now()
    private var hasStarted = false
    /// The requests that were sent before the first answer.
    private var unanswered: [EngineRequest] = []
    /// The unsent messages of the requests that were last removed from the mailbox.
    private var outgoing = MessageQueue([])
    private var isAnswered = false
    private var isOver = false
    /// True if the serving process has accepted the connection but has sent no message in time.
    private(set) var isSilent = false
    /// The host time at which a start times out.
    private let startEnds: HostTime
    /// The time at which this process resumed after being suspended for so long that the serving
    /// process discarded its players; nil if it has not been suspended for that long.
    private var resumedAt: HostTime?
    /// The clock of the other computer; nil if the serving process is on this computer.
    private var clock: RemoteClock?

    private static let hasEnded = "the process that serves the board has ended"

    /// The interval between two messages that report that this process is alive, in microseconds.
    private static let aliveInterval: Microseconds = 60_000
    /// The time without a message after which the connection is abandoned, in microseconds.
    private static let silenceLimit: Microseconds = 2_000_000
    /// The timeout for a start or a survey while the serving process responds, in microseconds. The
    /// serving process itself has a timeout of 5 s.
    private static let startLimit: Microseconds = 8_000_000

    /// The number of answers that are needed before times are converted.
    private static let clockAnswers = 8
    /// The interval between clock queries until times are converted, in microseconds.
    private static let clockInterval: Microseconds = 5_000

    init(_ connection: MessageConnection, _ mailbox: EngineMailbox, _ eventSignal: EventSignal) {
        (self.connection, self.mailbox, self.eventSignal) = (connection, mailbox, eventSignal)
        startEnds = Link.now() + Self.startLimit
        if connection.isRemote { clock = RemoteClock() }
    }

    /// True if times can be converted, or need no conversion.
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

    /// True if the connection ended before any answer was received. In that case, the requests that
    /// the connection had sent have been put back into the mailbox.
    var isUnanswered: Bool { isOver && !isAnswered }

    private mutating func end(_ reason: String) {
        guard isAnswered else {
            mailbox.putBack(unanswered)
            isOver = true
            return
        }
        let error = HapticError(hasStarted ? .serverInterrupted : .serverInitFailed, reason)
        mailbox.report(hasStarted ? lost(error) : .failed(error))
        isOver = true
    }

    /// The time at which this program last proved to the server that it is alive. While a backlog
    /// is waiting because the server does not read, the time of the last turn is used, because no
    /// message can be sent.
    private var activeAt: HostTime { connection.hasBacklog ? turnedAt : lastSent }

    /// Returns the report on the loss of the board. If the program was suspended recently, or since
    /// the current turn began, the suspension is the reason.
    private func lost(_ error: HapticError) -> EngineReport {
        let now = Link.now()
        let wasSuspended =
            now - activeAt > EngineMailbox.silenceLimit
            || resumedAt.map { now - $0 < Self.silenceLimit } == true
        return wasSuspended
            ? .suspended(
                HapticError(
                    .serverInterrupted,
                    "the program did not run for 0.25 s (suspended, or the computer is too busy), "
                        + "so its players were stopped; start the engine again")
            )
            : .lost(error)
    }

    private mutating func turn() throws {
        wait()
        let now = Link.now()
        if now - activeAt > EngineMailbox.silenceLimit { resumedAt = now }
        turnedAt = now
        connection.flush()
        try sendDue(at: now)
        connection.read()
        while let data = try connection.next() {
            (lastReceived, isAnswered, unanswered) = (now, true, [])
            mailbox.isServedElsewhere.withLock { $0 = true }
            try handle(ServerMessage(reading: data))
        }
        if !isOver, connection.isClosed {
            end(Self.hasEnded)
        } else if !isOver, connection.isBroken || now - lastReceived > Self.silenceLimit {
            isSilent = !isAnswered && !connection.isBroken
            end("the process that serves the board does not answer")
        }
        if !isOver, !hasStarted, now > startEnds {
            mailbox.report(
                .failed(
                    HapticError(
                        .engineStartTimeout,
                        "the process that serves the board did not start the engine in time")))
            isOver = true
        }
    }

    /// Sends the messages that are due, as long as the socket's buffer has room for them. A backlog
    /// is written before more messages are added, and its bytes also count as a sign of life.
    private mutating func sendDue(at now: HostTime) throws {
        if outgoing.isEmpty, !connection.hasBacklog, isClockKnown {
            let requests = mailbox.removeRequests()
            if !isAnswered { unanswered += requests }
            outgoing = MessageQueue(requests.map { moved($0, at: now) })
        }
        for _ in 0..<Self.messagesOfTurn where !connection.hasBacklog {
            guard let message = outgoing.next() else { break }
            lastSent = now
            try connection.send(message)
        }
        if !connection.hasBacklog, now - lastSent >= aliveInterval || now - askedAt >= aliveInterval
        {
            (lastSent, askedAt) = (now, now)
            try connection.send(ClientMessage.alive(askingAt: clock == nil ? nil : now))
        }
    }

    /// The maximum number of messages that are created in one turn, so that answers do not wait
    /// for all messages of a pattern.
    private static let messagesOfTurn = 8

    private func wait() {
        var requests = [
            eventSignal.request, connection.socket.request(writing: connection.hasBacklog),
        ]
        let now = Link.now()
        let until =
            connection.hasBacklog
            ? now + aliveInterval
            : outgoing.isEmpty ? min(lastSent, askedAt) + aliveInterval : now
        _ = hostClock.poll(&requests, until: until)
        if requests[0].revents != 0 { eventSignal.drain() }
    }

    private var aliveInterval: Microseconds {
        isClockKnown ? Self.aliveInterval : Self.clockInterval
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

    private mutating func handle(_ message: ServerMessage) throws {
        switch message.kind {
        case .clock:
            clock?.record(
                sent: HostTime(microseconds: try message.need(\.sent, "sent")),
                answered: HostTime(microseconds: try message.need(\.time, "time")),
                received: Link.now())
        case .refused:
            end(message.reason ?? "the process that serves the board rejected the request")
        default: if let report = try message.report() { forward(report) }
        }
    }

    private mutating func forward(_ report: EngineReport) {
        if case .started = report { hasStarted = true }
        if case .lost(let error) = report {
            mailbox.report(lost(error))
        } else {
            mailbox.report(widened(report, at: Link.now()))
        }
        isOver = isOver || report.isLast
    }
}

/// The messages of requests that take effect together. The messages are created one at a time.
private struct MessageQueue {
    private var messages: AnyIterator<ClientMessage>
    private var upcoming: ClientMessage?

    init(_ requests: [EngineRequest]) {
        messages = AnyIterator(
            requests.lazy.flatMap { ClientMessage.messages(for: $0) }.makeIterator())
        upcoming = messages.next()
    }

    var isEmpty: Bool { upcoming == nil }

    mutating func next() -> ClientMessage? {
        guard var message = upcoming else { return nil }
        upcoming = messages.next()
        message.more = isEmpty ? nil : true
        return message
    }
}
