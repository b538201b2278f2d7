// BoardService: the work of a board's thread once the board has answered.

import BridgeLink
import HapticCompiler
import SerialPorts

/// An engine that has ended, and the report that says so.
typealias EngineEnd = (engine: EngineMailbox, report: EngineReport)

/// The work of the thread once its board is connected.
final class BoardService {
    private let board: HapticBoard
    private var engines: [EngineService] = []
    private let newcomers: () -> [EngineMailbox]
    private let tell: (EngineEnd) -> Void

    /// The longest sleep, in microseconds.
    private static let longestWait: Microseconds = 200_000
    /// The time that a board may take to answer after a reset, in microseconds, including further
    /// resets in that time.
    private static let recoveryTime: Microseconds = 10_000_000

    init(
        _ board: HapticBoard, newcomers: @escaping () -> [EngineMailbox],
        tell: @escaping (EngineEnd) -> Void
    ) {
        self.board = board
        self.newcomers = newcomers
        self.tell = tell
    }

    private func admit(_ newcomers: [EngineMailbox]) {
        let now = Link.now()
        for newcomer in newcomers { newcomer.tell(.connected(board.place)) }
        engines += newcomers.map {
            EngineService($0, on: board.welcome, isOn: board.settings.isOn, at: now)
        }
    }

    /// Serves until all engines have ended. Returns the final reports of the last of them.
    func serve() -> [EngineEnd] {
        while true {
            do {
                try turn()
            } catch LinkEnd.sessionLost where recover() {
                let now = Link.now()
                for index in engines.indices {
                    engines[index].boardWasReset(board.welcome, at: now)
                }
            } catch LinkEnd.sessionLost {
                lose(HapticError(.serverInterrupted, "the board was reset"))
            } catch {
                lose(HapticError(connecting: error))
            }
            dismissEnded()
            if !engines.contains(where: { $0.end == nil }) {
                return engines.map { ($0.mailbox, $0.end!) }
            }
        }
    }

    /// Reports to the engines that have ended. The last ones receive their reports only after the
    /// port has been closed.
    private func dismissEnded() {
        guard engines.contains(where: { $0.end == nil }) else { return }
        let ended = engines.compactMap { engine in engine.end.map { (engine.mailbox, $0) } }
        engines.removeAll { $0.end != nil }
        for end in ended { tell(end) }
    }

    /// Sends what is due, and waits for an answer, a deadline or a request.
    private func turn() throws {
        // The first engine uses the line first, so the engines take turns at being first.
        if !engines.isEmpty { engines.append(engines.removeFirst()) }
        admit(newcomers())
        let link = board.link
        var deadline = Link.now() + Self.longestWait
        link.withSession { session, now in
            for index in engines.indices {
                let others = (engines[..<index] + engines[(index + 1)...])
                    .filter { $0.end == nil }
                engines[index].advance(&session, at: now, beside: others)
                deadline = min(
                    deadline, engines[index].nextDeadline(session, at: now) ?? deadline)
            }
        }
        logFrames()
        try link.step(until: deadline)
        try link.withSession { session, now in
            while let event = session.nextEvent() {
                for index in engines.indices {
                    engines[index].handle(event, &session, at: now)
                }
            }
            if let reason = session.endReason { throw reason }
        }
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

    /// Begins a new session after a reset, without anything from before. Returns whether the board
    /// answered in time.
    private func recover() -> Bool {
        let deadline = Link.now() + Self.recoveryTime
        while Link.now() < deadline {
            do {
                try board.reconnect(within: deadline - Link.now()) { self.isWanted() }
                return true
            } catch LinkEnd.sessionLost {
                continue
            } catch {
                return false
            }
        }
        return false
    }

    /// Whether an engine is waiting for the board to return. An engine that is to stop does not
    /// wait, because a board that was reset is at rest.
    private func isWanted() -> Bool {
        for index in engines.indices where engines[index].mailbox.isToStop {
            engines[index].boardIsAtRest()
        }
        dismissEnded()
        return engines.contains { $0.end == nil }
    }

    private func lose(_ error: HapticError) {
        for index in engines.indices { engines[index].lose(error) }
    }
}
