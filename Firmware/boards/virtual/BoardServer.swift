// BoardServer: the loop that connects the terminal, the clock and the board.

import BridgeLink
import CBridgeProtocol
import SerialPorts
import VirtualBoard

/// A server that runs a board in real time at a pseudo-terminal.
final class BoardServer {
    private let board: InProcessBoard
    private let terminal: BoardTerminal
    private let trace: BusTrace?
    private let resetsOnOpen: Bool

    /// The host time of board time 0.
    private let origin = Link.now()
    /// The board time until which something may happen without a byte from the host.
    private var busyUntil: BoardTime = BoardServer.busyTime
    /// The bytes that the board has sent and that are still on the line.
    private var onTheLine: [SentByte] = []
    private var wasOpen = false

    /// The time for which the server stays busy after the last byte or transaction, in
    /// microseconds: longer than the dead-man and the longest brake.
    private static let busyTime: BoardTime = 600_000
    /// The longest wait while busy, in milliseconds. It bounds how late an answer leaves and a
    /// transaction is traced.
    private static let busySlice: Int32 = 1
    /// The longest wait while idle, in milliseconds. Nothing happens meanwhile, and received bytes
    /// end the wait at once.
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

    /// Runs one turn: takes received bytes, runs the board up to now, and sends its bytes.
    private func turn() throws {
        // The clock is read after the bytes: none arrives before the host has sent it.
        let bytes = terminal.read()
        let now = Link.now() - origin
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
