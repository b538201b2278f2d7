// BoardService: the work of a board's thread after the board has answered.

import BridgeLink
import HapticBoards
import HapticCompiler
import SerialPorts

/// An engine that has ended, and the final report of the engine.
typealias EngineEnd = (engine: EngineMailbox, report: EngineReport)

/// The work of a board's thread after the board has been connected.
final class BoardService {
    private let board: HapticBoard
    private var engines: [EngineService] = []
    /// The final reports for the service and for the programs that requested the release of the
    /// board. These reports are sent after the port has been closed.
    private var endedForAll: [EngineEnd] = []
    /// True if all engines are being ended. New engines are then rejected, because they would keep
    /// the port open.
    private var isEnding = false
    private var relays: [RelaySession] = []
    /// The host time until which answers are sent to a program that has stopped the board.
    private var answersEnd: HostTime = 0
    private var streams = BoardStreams()
    private var settings: SettingsWatch
    private var settingsAreDue: HostTime = 0
    private let pendingEngines: () -> [EngineMailbox]
    private let report: (EngineEnd) -> Void

    /// The time for which answers are still sent to a program that has stopped the board, in
    /// microseconds.
    private static let answerTime: Microseconds = 500_000
    /// The maximum time for which the thread sleeps, in microseconds.
    private static let longestWait: Microseconds = 200_000
    /// The maximum time for a board's answer after a reset, in microseconds. Further resets do not
    /// extend the timeout.
    private static let recoveryTime: Microseconds = 10_000_000

    private static let releaseError = HapticError(
        .serverInterrupted, "the program that serves the board has released it")
    private static let resetError = HapticError.boardWasReset

    init(
        _ board: HapticBoard, settings: SettingsWatch,
        pendingEngines: @escaping () -> [EngineMailbox],
        report: @escaping (EngineEnd) -> Void
    ) {
        self.board = board
        self.settings = settings
        self.pendingEngines = pendingEngines
        self.report = report
    }

    private func admit(_ mailboxes: [EngineMailbox]) {
        let now = Link.now()
        for mailbox in mailboxes {
            mailbox.report(.connected(board.endpoint))
            switch mailbox.purpose {
            case .relay: relays.append(RelaySession(mailbox))
            case .release:
                if let refusal {
                    mailbox.report(.failed(refusal))
                    continue
                }
                mailbox.post(.stop)
                fallthrough
            case .engine, .survey, .service:
                engines.append(EngineService(mailbox, on: board.welcome, at: now))
            }
        }
    }

    /// The reason why the board cannot be released now, with the names of the programs that are
    /// playing on the board; nil if no program is playing.
    private var refusal: HapticError? {
        let players = engines.filter { $0.isPlaying(on: streams) }
            .map { $0.mailbox.program ?? HostProgram.name }
        guard !players.isEmpty else { return nil }
        let names = Set(players).sorted().joined(separator: ", ")
        return HapticError(.operationNotPermitted, "the board is in use by \(names)")
    }

    /// Serves the engines until all engines have ended. Returns the final reports of the last
    /// engines.
    func serve() -> [EngineEnd] {
        while true {
            do {
                try turn()
            } catch LinkEnd.sessionLost(let cause, let bootCount) where recover() {
                let now = Link.now()
                streams.removeAll()
                let reset = LinkEnd.sessionLost(cause: cause, bootCount: bootCount)
                endRelays(HapticError(connecting: reset))
                for index in engines.indices {
                    engines[index].boardWasReset(board.welcome, at: now)
                }
            } catch LinkEnd.sessionLost {
                lose(Self.resetError)
            } catch {
                lose(HapticError(connecting: error))
            }
            dismissEnded()
            if hasEnded, !isAnswering(at: Link.now()) {
                return endedForAll + engines.map { ($0.mailbox, $0.end!) }
            }
        }
    }

    /// Sends the final report to each engine that has ended. Three kinds of recipients receive
    /// their reports only after the port has been closed: the last engines; the service, because
    /// the process may end when the service ends; and the programs that requested the release of
    /// the port.
    private func dismissEnded() {
        guard engines.contains(where: { $0.end == nil }) else { return }
        let ended = engines.compactMap { engine in
            engine.end.map { (engine: engine.mailbox, report: $0) }
        }
        engines.removeAll { $0.end != nil }
        endedForAll += ended.filter(\.engine.isForAll)
        for end in ended where !end.engine.isForAll { report(end) }
    }

    /// Applies changes of the user's settings to the current playback.
    private func followSettings(at now: HostTime) {
        guard now >= settingsAreDue else { return }
        settingsAreDue = now + Microseconds(SettingsWatch.interval)
        if let change = settings.change() { board.change(to: change.settings) }
    }

    /// Sends the messages that are due, and waits for an answer, a deadline or a request.
    private func turn() throws {
        if !isEnding { admit(pendingEngines()) }
        endOthers()
        followSettings(at: Link.now())
        let link = board.link
        link.withSession { advanceEngines(&$0, at: $1) }
        // Each step reads the time again, because the preceding step may take a millisecond.
        link.withSession { streams.carryOutUnfelt(at: $1) }
        link.withSession { streams.advance(&$0, at: $1) }
        try link.write()
        let deadline = link.withSession { follow(&$0, at: $1) }
        logFrames()
        try link.step(until: deadline)
        try link.withSession { session, now in
            while let event = session.nextEvent() {
                streams.handle(event, &session, at: now)
                for index in engines.indices {
                    engines[index].handle(event, session, streams, at: now)
                }
                for index in relays.indices { relays[index].handle(event) }
            }
            if let reason = session.endReason { throw reason }
        }
    }

    /// Ends all engines if the service for other programs ends or the board is released.
    private func endOthers() {
        guard engines.contains(where: { $0.mailbox.isForAll && $0.mailbox.isToStop }) else {
            return
        }
        isEnding = true
        for index in engines.indices where !engines[index].mailbox.isToStop {
            if engines[index].mailbox.isForAll {
                engines[index].boardIsAtRest()
            } else {
                engines[index].lose(Self.releaseError)
            }
        }
        streams.removeAll()
    }

    /// Advances the engines and the relays to the current time.
    private func advanceEngines(_ session: inout LinkSession, at now: HostTime) {
        for index in relays.indices {
            let mustStop = relays[index].advance(&session, board.welcome, at: now)
            if mustStop {
                streams.stopAll(&session, at: now)
                answersEnd = now + Self.answerTime
            }
        }
        relays.removeAll { $0.isOver }
        for index in engines.indices {
            engines[index].advance(
                &session, &streams, at: now, isAlone: isAlone(engines[index].mailbox))
        }
    }

    /// Sends events of the streams, and reports the players that have ended. Returns the host time
    /// at which the thread must handle the engines again.
    private func follow(_ session: inout LinkSession, at now: HostTime) -> HostTime {
        streams.feed(&session, at: now)
        let finished = streams.removeFinished(at: now)
        for index in engines.indices {
            let mailbox = engines[index].mailbox
            engines[index].follow(
                &session, &streams, finished: finished[mailbox.number] ?? [], at: now,
                isAlone: isAlone(mailbox) && relays.isEmpty)
        }
        if hasEnded, isAnswering(at: now) { return min(now + HapticBoard.askInterval, answersEnd) }
        return
            ([now + Self.longestWait, streams.nextDeadline(session, at: now)]
            + engines.map { $0.nextDeadline(at: now) }).compactMap(\.self).min()!
    }

    /// True if all engines have ended.
    private var hasEnded: Bool { !engines.contains { $0.end == nil } }

    /// Returns whether a program that has stopped the board may still receive answers.
    private func isAnswering(at now: HostTime) -> Bool { !relays.isEmpty && now < answersEnd }

    /// Returns whether no engine except that of the given mailbox uses the board.
    private func isAlone(_ mailbox: EngineMailbox) -> Bool {
        !engines.contains { $0.mailbox !== mailbox && !$0.mailbox.isForAll && $0.end == nil }
    }

    /// Passes the frames of the board to every engine's log.
    private func logFrames() {
        let loggers = engines.compactMap(\.logger)
        guard !loggers.isEmpty else {
            board.link.frameObserver = nil
            return
        }
        board.link.frameObserver = { direction, frame in
            for logger in loggers { logger.trace(frame, direction) }
        }
    }

    /// Begins a new session, with empty state, after a reset of the board. Returns whether the
    /// board answered before the timeout.
    private func recover() -> Bool {
        let deadline = Link.now() + Self.recoveryTime
        while Link.now() < deadline {
            do {
                try board.reconnect(within: .microseconds(deadline - Link.now())) {
                    self.isWanted()
                }
                return true
            } catch LinkEnd.sessionLost {
                continue
            } catch {
                return false
            }
        }
        return false
    }

    /// Returns whether an engine is waiting for the board to answer again. An engine that is being
    /// stopped does not wait, because a board is at rest after a reset.
    private func isWanted() -> Bool {
        for index in engines.indices where engines[index].mailbox.isToStop {
            engines[index].boardIsAtRest()
        }
        dismissEnded()
        return engines.contains { $0.end == nil }
    }

    private func endRelays(_ error: HapticError) {
        for relay in relays { relay.mailbox.report(.lost(error)) }
        relays = []
    }

    private func lose(_ error: HapticError) {
        endRelays(error)
        for index in engines.indices { engines[index].lose(error) }
    }
}
