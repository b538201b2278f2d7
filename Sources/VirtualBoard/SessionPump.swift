// SessionPump: a host session at one end of a line in virtual time, a board at the other.

import BridgeLink

/// Moves bytes between a session and a board, at the pace of the line and by the clock of the board.
///
/// Its owner polls the session, calls `send`, advances the board, calls `receive` and handles events.
public struct SessionPump {
    /// The board at one end of the line.
    public let board: any SteppedBoard
    /// The session at the other end.
    public var session: LinkSession
    /// The time until which the line to the board is taken by what was sent.
    public private(set) var lineFree: BoardTime = 0
    /// The bytes that the board has sent and that are still on the line.
    private var onTheLine: [SentByte] = []

    /// The host time, which is that of the board.
    public var now: HostTime { HostTime(microseconds: board.now) }

    /// Begins a session with a board, by the clock of the board.
    public init(
        _ board: any SteppedBoard, sessionID: UInt32, timing: LinkTiming = .standard,
        versions: ClosedRange<UInt8> = Hello.ownVersions
    ) {
        self.board = board
        session = LinkSession(
            sessionID: sessionID, timing: timing, versions: versions,
            at: HostTime(microseconds: board.now))
    }

    /// Sends what the session has to say now, as far as it may be unsent.
    ///
    /// - Parameters:
    ///   - start: the time before which nothing leaves.
    ///   - pass: what the bytes become on their way.
    public mutating func send(
        notBefore start: BoardTime = 0, _ pass: ([UInt8]) -> [UInt8] = { $0 }
    ) {
        let rate = BoardTime(session.bytesPerMillisecond ?? 1_000_000)
        let unsent = Int(max(0, lineFree - board.now) * rate / 1_000)
        let output = session.takeOutput(limit: session.unsentLimit - unsent, at: now)
        guard !output.isEmpty else { return }
        let release = max(board.now, start)
        lineFree = max(lineFree, release) + BoardTime(output.count) * 1_000 / rate
        board.send(pass(output), at: release)
    }

    /// The bytes of the board that have arrived since the last call.
    public mutating func takeArrived() -> [UInt8] {
        onTheLine += board.takeSent()
        let arrived = onTheLine.prefix { $0.time <= board.now }
        onTheLine.removeFirst(arrived.count)
        return arrived.map(\.byte)
    }

    /// Loses all but the last `count` bytes that are on the line.
    public mutating func keepLast(_ count: Int) {
        onTheLine = (onTheLine + board.takeSent()).suffix(count)
    }
}
