// ExclusiveUse: the exclusive use of boards by a command that drives actuators without an engine.

import BoardSharing
import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

/// The exclusive use of boards by a command that drives actuators without an engine. Meanwhile,
/// other programs can query the boards and stop the command.
final class ExclusiveUse {
    /// The boards that other programs can reach, with their servers. A virtual board within this
    /// process is not one of them.
    private let shared: [(board: HapticBoard, server: DirectPlayServer)]
    private var isStopped = false

    init(of boards: [HapticBoard]) {
        shared = boards.filter { !($0.link.transport is VirtualTransport) }
            .compactMap { board in DirectPlayServer(board).map { (board, $0) } }
    }

    /// Performs `body`, which drives actuators and regularly calls ``isWanted()``. When that method
    /// returns false, `body` brings the actuators to rest and returns.
    ///
    /// - Throws: the errors of `body`, and the error of ``stop`` instead of a `CancellationError`.
    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        for (board, server) in shared { board.link.observer = { server.handle($0) } }
        defer {
            for (board, server) in shared {
                try? server.finish()
                board.link.observer = nil
            }
        }
        do {
            return try Interruption.deferred(body)
        } catch let error as CancellationError {
            throw stop ?? error
        }
    }

    /// Answers the queries of other programs. Returns false if the user has interrupted the command
    /// or another program has stopped a board.
    func isWanted() -> Bool {
        // All boards are polled, even if one of them must be stopped.
        for (_, server) in shared where server.poll() { isStopped = true }
        return !isStopped && !Interruption.isRequested
    }

    /// The error for a command that the user has interrupted or another program has stopped; nil if
    /// neither has happened. The error states that the actuator is at rest.
    var stop: ToolError? {
        guard isStopped || Interruption.isRequested else { return nil }
        let who = isStopped ? "stopped by another program" : "stopped"
        return ToolError(Interruption.status ?? .interrupted, "\(who); the actuator is at rest")
    }
}
