// PlayingBoard: a board on which this process plays by itself, and which others may ask and stop.

import BoardEngine
import BridgeLink
import HapticBoards
import SerialPorts

/// Lets other programs of the user ask and stop a board on which this process plays without an
/// engine. They cannot play on it meanwhile.
///
/// The owner calls `attend` repeatedly while it plays, and passes every event of the link to `note`.
package final class PlayingBoard {
    private let board: HapticBoard
    private let server: BoardServer
    private let newcomers = LockedValue<[EngineMailbox]>([])
    private var relays: [BoardRelay] = []
    /// True if another program has had everything stopped.
    private var isStopped = false

    /// The time for which a program that has stopped everything is answered, in microseconds.
    private static let answerTime: Microseconds = 500_000

    /// Begins to serve. Returns nil where there is no safe place for a socket.
    package init?(_ board: HapticBoard) {
        self.board = board
        guard let wakeUp = try? WakeUp(),
            let server = try? BoardServer(
                port: board.path, wakeUp: wakeUp,
                admit: { [newcomers] mailbox in
                    newcomers.withLock { $0.append(mailbox) }
                    return true
                })
        else { return nil }
        self.server = server
    }

    deinit { server.close() }

    /// Passes on what other programs ask. Returns whether one of them has everything stopped.
    package func attend() -> Bool {
        for newcomer in newcomers.exchange([]) {
            newcomer.tell(.connected(board.place))
            if newcomer.purpose == .relay {
                relays.append(BoardRelay(newcomer))
            } else {
                newcomer.tell(
                    .failed(
                        HapticError(
                            .serverInitFailed,
                            "\(HostProgram.name) plays on it, and does so alone; wait until it "
                                + "has finished, or `bridge serve` the board first")))
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

    /// Answers a program that has stopped everything until it has ended.
    package func finish() throws {
        let deadline = Link.now() + Self.answerTime
        while isStopped, !relays.isEmpty, Link.now() < deadline {
            try board.link.run(until: Link.now() + HapticBoard.askInterval)
            _ = attend()
        }
    }

    /// Passes an answer of the board on to those who have asked.
    package func note(_ event: LinkEvent) {
        for index in relays.indices { relays[index].handle(event) }
    }
}
