// DirectPlayServer: a board on which only this process plays, and which other programs may query and
// stop.

import BoardEngine
import BridgeLink
import HapticBoards
import SerialPorts

/// Lets other programs of the user query and stop a board on which this process plays without an
/// engine. The other programs cannot play on the board in the meantime.
///
/// While it plays, the owner calls `poll` repeatedly and passes every event from the link to
/// `handle`.
package final class DirectPlayServer {
    private let board: HapticBoard
    private let server: BoardServer
    private let pendingEngines = LockedValue<[EngineMailbox]>([])
    private var relays: [RelaySession] = []
    /// True if another program has stopped the board.
    private var isStopped = false

    /// The time for which a program that has stopped the board still receives answers, in
    /// microseconds.
    private static let answerTime: Microseconds = 500_000

    /// Begins to serve. Returns nil if there is no safe location for a socket.
    package init?(_ board: HapticBoard) {
        self.board = board
        guard let eventSignal = try? EventSignal(),
            let server = try? BoardServer(
                port: board.path, eventSignal: eventSignal,
                admit: { [pendingEngines] mailbox in
                    pendingEngines.withLock { $0.append(mailbox) }
                    return true
                })
        else { return nil }
        self.server = server
    }

    deinit { server.close() }

    /// Forwards the queries of other programs to the board. Returns true if one of these programs
    /// has stopped the board.
    package func poll() -> Bool {
        for mailbox in pendingEngines.exchange([]) {
            mailbox.report(.connected(board.endpoint))
            if mailbox.purpose == .relay {
                relays.append(RelaySession(mailbox))
            } else {
                mailbox.report(
                    .failed(
                        HapticError(
                            .serverInitFailed,
                            "\(HostProgram.name) uses the board exclusively; wait until that "
                                + "program has finished, or start `bridge "
                                + "serve` before that program")))
            }
        }
        var mustStop = false
        board.link.withSession { session, now in
            for index in relays.indices {
                mustStop = relays[index].advance(&session, board.welcome, at: now) || mustStop
            }
        }
        relays.removeAll { $0.isOver }
        isStopped = isStopped || mustStop
        return mustStop
    }

    /// Sends the remaining answers to a program that has stopped the board, until its session has
    /// ended.
    package func finish() throws {
        let deadline = Link.now() + Self.answerTime
        while isStopped, !relays.isEmpty, Link.now() < deadline {
            try board.link.run(until: Link.now() + HapticBoard.askInterval)
            _ = poll()
        }
    }

    /// Forwards an answer from the board to the programs that sent the query.
    package func handle(_ event: LinkEvent) {
        for index in relays.indices { relays[index].handle(event) }
    }
}
