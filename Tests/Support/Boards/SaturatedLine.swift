// SaturatedLine: a host that uses the whole capacity of the line to a board.

import BridgeLink
import CBridgeProtocol
import VirtualBoard

/// The line from a link to its board. Queries fill the line between the frames of the link.
public final class SaturatedLine {
    private let board: LockStepBoard
    private let link: IdealLink
    /// The time until which queued bytes occupy the line.
    private var free: BoardTime = 0

    private static let byteTime = 10_000_000 / BoardTime(BRIDGE_BAUD)
    /// The number of queued bytes that keeps a USB host busy: several packets.
    private static let busBytes = 512
    /// The time for which the line is filled in advance, in microseconds; it must be longer than a
    /// step of the link.
    private static let ahead: BoardTime = 600

    /// Counts the bytes that the link sends from now on.
    public init(of link: IdealLink, to board: LockStepBoard) {
        (self.board, self.link) = (board, link)
        link.damageToBoard = { [weak self] bytes in
            self?.occupy(bytes.count)
            return bytes
        }
    }

    /// Fills the unused capacity of the line with queries. Must be called after each step of the
    /// link.
    public func fill() {
        let query = FrameEncoder(session: link.session.sessionID)
            .encode(Frame(type: .getStatus, sequence: 0, payload: []))
        if board.simulator.line == .usb {
            _ = board.drainArrived()
            let room = max(0, Self.busBytes - board.handedOverCount)
            let queries = Array(repeating: query, count: room / query.count)
            return board.send(Array(queries.joined()), at: board.now)
        }
        while free < board.now + Self.ahead {
            board.send(query, at: board.now)
            occupy(query.count)
        }
    }

    private func occupy(_ bytes: Int) {
        free = max(free, board.now) + BoardTime(bytes) * Self.byteTime
    }
}
