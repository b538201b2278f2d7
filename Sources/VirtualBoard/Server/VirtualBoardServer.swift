// VirtualBoardServer: the loop that connects a terminal, the clock and a board.

import BridgeLink
import CBridgeProtocol
import SerialPorts

/// The board's end of the line to its host.
package protocol BoardTerminal: AnyObject {
    /// True if a host has opened the other end.
    var isOpen: Bool { get }
    /// Waits until bytes arrive from a host, or until the deadline.
    func wait(until deadline: HostTime)
    /// Returns the bytes that hosts have written; empty if there are none.
    func read() -> [UInt8]
    /// Sends bytes. As on a real line, bytes are lost if no host reads them.
    func write(_ bytes: [UInt8])
}

/// A server that runs a board at a terminal, in real time.
package final class VirtualBoardServer {
    private let board: InProcessBoard
    private let terminal: any BoardTerminal
    private let resetsOnOpen: Bool
    private let isResetPressed: () -> Bool
    private let intervene: (InProcessBoard) -> Void
    private let trace: ([BusTransaction]) throws -> Void

    /// The host time of board time 0.
    private let origin = Link.now()
    /// The board time until which the board may act without a byte from the host.
    private var busyUntil: BoardTime = VirtualBoardServer.busyTime
    /// The bytes that the board has sent and that are still in transmission.
    private var onTheLine: [SentByte] = []
    private var wasOpen = false

    /// The time for which the server stays busy after the last byte or transaction, in
    /// microseconds: longer than the dead-man and the longest brake window.
    private static let busyTime: BoardTime = 600_000
    /// The maximum wait while busy, in microseconds. It limits the delay of an answer and of the
    /// trace of a transaction.
    private static let busySlice: Microseconds = 1_000
    /// The maximum wait while idle, in microseconds. The board has no work during this time, and
    /// received bytes end the wait at once.
    private static let idleSlice: Microseconds = 50_000

    /// - Parameters:
    ///   - resetsOnOpen: whether a host resets the board when it opens the terminal.
    ///   - isResetPressed: returns whether the reset button was pressed since the last call.
    ///   - intervene: changes the board before each turn, for example the state of its chip.
    ///   - trace: receives the transactions of the bus.
    package init(
        _ board: InProcessBoard, at terminal: any BoardTerminal, resetsOnOpen: Bool = false,
        isResetPressed: @escaping () -> Bool = { false },
        intervene: @escaping (InProcessBoard) -> Void = { _ in },
        trace: @escaping ([BusTransaction]) throws -> Void
    ) {
        self.board = board
        self.terminal = terminal
        self.resetsOnOpen = resetsOnOpen
        self.isResetPressed = isResetPressed
        self.intervene = intervene
        self.trace = trace
    }

    /// Runs the board as long as `isWanted` returns true.
    package func serve(while isWanted: () -> Bool) throws {
        while isWanted() {
            if mustReset { reset() }
            try turn()
            let slice = board.now < busyUntil ? Self.busySlice : Self.idleSlice
            terminal.wait(until: Link.now() + slice)
        }
    }

    /// Runs one turn: takes received bytes, runs the board up to the present, and sends its bytes.
    private func turn() throws {
        // The clock is read after the bytes, so that no byte arrives before the host has sent it.
        let bytes = terminal.read()
        let now = Link.now() - origin
        board.advance(to: now)
        intervene(board)
        if !bytes.isEmpty { board.send(bytes, at: now) }
        let transactions = board.transactions
        onTheLine += board.takeSent()
        sendArrived(now)
        if !bytes.isEmpty || !onTheLine.isEmpty || !transactions.isEmpty {
            busyUntil = now + Self.busyTime
        }
        try trace(transactions)
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
        return isOpen && !wasOpen || isResetPressed()
    }

    private func reset() {
        board.advance(to: Link.now() - origin)
        board.reset(cause: BRIDGE_RESET_EXTERNAL)
        busyUntil = board.now + Self.busyTime
    }
}
