// MeasuringTurn: the exclusive use of a board by a command that measures.

import BoardSharing
import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

/// The exclusive use of a board by a command that measures. Meanwhile, other programs can query the
/// board and stop the measurement.
final class MeasuringTurn {
    private let board: HapticBoard
    /// Nil for a virtual board within this process, which no other program can reach.
    private let server: DirectPlayServer?
    private var isStopped = false

    init(_ board: HapticBoard) {
        self.board = board
        server = board.link.transport is VirtualTransport ? nil : DirectPlayServer(board)
    }

    /// Performs `body`, which measures and regularly calls its argument. When the argument returns
    /// false, `body` throws `CancellationError` as soon as the actuator is at rest.
    ///
    /// - Throws: the errors of `body`, and a `ToolError` if the user has interrupted the command or
    ///   another program has stopped the board.
    func measure<Result>(_ body: (_ isWanted: () -> Bool) throws -> Result) throws -> Result {
        if let server { board.link.observer = { server.handle($0) } }
        defer { board.link.observer = nil }
        do {
            return try Interruption.deferred {
                try body {
                    if server?.poll() == true { isStopped = true }
                    return !isStopped && !Interruption.isRequested
                }
            }
        } catch is CancellationError {
            try? server?.finish()
            let who = isStopped ? "stopped by another program" : "stopped"
            throw ToolError(
                Interruption.status ?? .interrupted, "\(who); the actuator is at rest")
        }
    }
}
