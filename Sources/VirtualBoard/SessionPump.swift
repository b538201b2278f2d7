// SessionPump: connects a host session to a board through a serial line in virtual time.

import BridgeLink

/// A connection that transfers bytes between a session and a board, at the rate of the serial line
/// and on the clock of the board.
///
/// The owner polls the session, calls ``send(notBefore:_:)``, advances the board, passes the bytes
/// that ``drainArrived()`` returns to the session, and handles the session's events.
public struct SessionPump {
    /// The board at one end of the line.
    public let board: any SteppedBoard
    /// The session at the other end.
    public var session: LinkSession
    /// The time up to which the line to the board is busy.
    public private(set) var lineFree: BoardTime = 0
    /// The bytes that the board has sent and that have not arrived yet.
    private var onTheLine: [SentByte] = []

    /// The host time, which is equal to the time of the board.
    public var now: HostTime { HostTime(microseconds: board.now) }

    /// Starts a session with a board.
    public init(
        _ board: any SteppedBoard, sessionID: UInt32, timing: LinkTiming = .standard,
        versions: ClosedRange<UInt8> = Hello.ownVersions
    ) {
        self.board = board
        session = LinkSession(
            sessionID: sessionID, timing: timing, versions: versions,
            at: HostTime(microseconds: board.now))
    }

    /// Sends the waiting output of the session, up to the session's limit for unsent bytes.
    ///
    /// - Parameters:
    ///   - start: the earliest time at which the output is sent.
    ///   - pass: a function that may change the bytes during the transfer.
    public mutating func send(
        notBefore start: BoardTime = 0, _ pass: ([UInt8]) -> [UInt8] = { $0 }
    ) {
        let rate = BoardTime(session.bytesPerMillisecond ?? 1_000_000)
        let unsent = Int(max(0, lineFree - board.now) * rate / 1_000)
        let output = session.nextOutput(limit: session.unsentLimit - unsent, at: now)
        guard !output.isEmpty else { return }
        let release = max(board.now, start)
        lineFree = max(lineFree, release) + BoardTime(output.count) * 1_000 / rate
        board.send(pass(output), at: release)
    }

    /// Returns the bytes from the board that have arrived since the last call.
    public mutating func drainArrived() -> [UInt8] {
        onTheLine += board.drainSent()
        guard let first = onTheLine.first, first.time <= board.now else { return [] }
        let arrived = onTheLine.prefix { $0.time <= board.now }
        onTheLine.removeFirst(arrived.count)
        return arrived.map { $0.byte }
    }

    /// Discards the bytes on the line from the board, except for the last `count` bytes.
    public mutating func keepLast(_ count: Int) {
        onTheLine = (onTheLine + board.drainSent()).suffix(count)
    }
}
