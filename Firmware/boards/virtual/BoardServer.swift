// BoardServer: the loop between the terminal, the clock and the board.

import BridgeLink
import CBridgeProtocol
import VirtualBoard

/// Runs a board in real time at the terminal.
final class BoardServer {
    private let board: InProcessBoard
    private let terminal: BoardTerminal
    private let trace: BusTrace?
    private let resetsOnOpen: Bool

    /// Host time of board time 0.
    private let origin = Link.now()
    /// Board time until which something may happen without a byte from the host.
    private var busyUntil: BoardTime = BoardServer.busyTime
    /// What the board has sent that is still on the line.
    private var onTheLine: [SentByte] = []
    private var wasOpen = false

    /// After the last byte or transaction: longer than the dead-man and the longest brake.
    private static let busyTime: BoardTime = 600_000
    /// While busy: how soon an answer leaves and a transaction is traced, in milliseconds.
    private static let busySlice: Int32 = 1
    /// While idle: nothing happens, and bytes end the wait at once.
    private static let idleSlice: Int32 = 50

    init(_ board: InProcessBoard, trace: BusTrace?, resetsOnOpen: Bool) throws {
        self.board = board
        self.trace = trace
        self.resetsOnOpen = resetsOnOpen
        terminal = try BoardTerminal(staysOpen: !resetsOnOpen)
    }

    /// The path that hosts open.
    var path: String { terminal.path }

    /// Runs until a signal asks to stop.
    func serve() throws {
        defer { trace?.close() }
        while !BoardSignals.isStopRequested {
            if mustReset { reset() }
            try turn()
            terminal.wait(milliseconds: board.now < busyUntil ? Self.busySlice : Self.idleSlice)
        }
    }

    /// One turn: takes bytes, runs the board up to now, gives bytes.
    private func turn() throws {
        let now = Link.now() - origin
        let bytes = terminal.read()
        board.advance(to: now)
        if !bytes.isEmpty { board.send(bytes, at: now) }
        let transactions = board.transactions
        onTheLine += board.takeSent()
        sendArrived(now)
        if !bytes.isEmpty || !onTheLine.isEmpty || !transactions.isEmpty {
            busyUntil = now + Self.busyTime
        }
        try trace?.write(transactions)
        board.forgetTrace()
    }

    private func sendArrived(_ now: BoardTime) {
        let arrived = onTheLine.prefix { $0.time <= now }
        onTheLine.removeFirst(arrived.count)
        terminal.write(arrived.map(\.byte))
    }

    private var mustReset: Bool {
        let isOpen = resetsOnOpen && terminal.isOpen
        defer { wasOpen = isOpen }
        return isOpen && !wasOpen || BoardSignals.takeReset()
    }

    private func reset() {
        board.advance(to: Link.now() - origin)
        board.reset(cause: BRIDGE_RESET_EXTERNAL)
        busyUntil = board.now + Self.busyTime
    }
}
