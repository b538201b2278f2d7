// VirtualBoardServer: the loop that connects a terminal, the clock and a board.

import BridgeLink
import SerialPorts

/// The board's end of its connection to a host.
package protocol BoardTerminal: AnyObject {
    /// True if a host has opened the other end.
    var isOpen: Bool { get }
    /// Waits until bytes arrive from a host, or until the deadline.
    func wait(until deadline: HostTime)
    /// Returns the bytes that hosts have written; an empty array if no bytes are waiting.
    func read() -> [UInt8]
    /// Sends bytes. As on a real serial line, the bytes are lost if no host reads them.
    func write(_ bytes: [UInt8])
}

/// A server that runs a board behind a terminal, in real time.
package final class VirtualBoardServer<Board: ResettableBoard> {
    private let board: Board
    private let terminal: any BoardTerminal
    private let resetsOnOpen: Bool
    private let drift: Double
    private let isResetPressed: () -> Bool
    private let intervene: (Board) -> Void
    private let trace: ([BusTransaction]) throws -> Void

    /// The host time of board time 0.
    private let origin = Link.now()
    /// The board time until which the server is considered busy.
    private var busyUntil: BoardTime = busyTime
    /// The bytes that the board has sent and that have not been completely transmitted yet.
    private var onTheLine: [SentByte] = []
    private var wasOpen = false

    /// The time for which the server remains busy after the last byte or transaction, in
    /// microseconds. This time is longer than the dead-man timeout and the longest brake time.
    private static var busyTime: BoardTime { 600_000 }
    /// The maximum duration of a wait while the server is busy, in microseconds. This duration
    /// limits the delay of an answer and of the trace of a transaction.
    private static var busySlice: Microseconds { 1_000 }
    /// The maximum duration of a wait while the server is idle, in microseconds. The board has
    /// nothing to do during this time, and received bytes end the wait immediately.
    private static var idleSlice: Microseconds { 50_000 }

    /// - Parameters:
    ///   - drift: the rate of the board's clock divided by the rate of this computer's clock,
    ///     minus 1.
    ///   - resetsOnOpen: true if the board resets when a host opens the terminal.
    ///   - isResetPressed: a closure that returns whether the reset button was pressed since the last
    ///     call.
    ///   - intervene: a closure that can change the board before each iteration, for example the
    ///     state of the board's chip.
    ///   - trace: a closure that receives the transactions on the bus.
    package init(
        _ board: Board, at terminal: any BoardTerminal, drift: Double = 0,
        resetsOnOpen: Bool = false,
        isResetPressed: @escaping () -> Bool = { false },
        intervene: @escaping (Board) -> Void = { _ in },
        trace: @escaping ([BusTransaction]) throws -> Void
    ) {
        self.board = board
        self.terminal = terminal
        self.drift = drift
        self.resetsOnOpen = resetsOnOpen
        self.isResetPressed = isResetPressed
        self.intervene = intervene
        self.trace = trace
    }

    /// Runs the board for as long as `isWanted` returns true.
    package func serve(while isWanted: () -> Bool) throws {
        while isWanted() {
            if mustReset { reset() }
            try turn()
            let slice = board.now < busyUntil ? Self.busySlice : Self.idleSlice
            terminal.wait(until: Link.now() + slice)
        }
    }

    /// Runs one iteration: takes the received bytes, runs the board up to the current time, and
    /// sends the bytes from the board.
    private func turn() throws {
        // The clock is read after the bytes, so that no byte is processed at a time before the host
        // sent it.
        let bytes = terminal.read()
        let now = boardTime
        board.advance(to: now)
        intervene(board)
        if !bytes.isEmpty { board.send(bytes, at: now) }
        let transactions = board.transactions
        onTheLine += board.drainSent()
        sendArrived(now)
        if !bytes.isEmpty || !onTheLine.isEmpty || !transactions.isEmpty {
            busyUntil = now + Self.busyTime
        }
        try trace(transactions)
        board.forgetTrace()
    }

    private var boardTime: BoardTime { BoardTime(Double(Link.now() - origin) * (1 + drift)) }

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
        board.advance(to: boardTime)
        board.reset()
        busyUntil = board.now + Self.busyTime
    }
}
