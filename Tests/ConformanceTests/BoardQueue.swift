// BoardQueue: tests that take turns at one board, while others run on other boards.

import Dispatch

/// Runs what it is given one after the other, on a thread of its own: a test that waits for a board
/// in real time holds nobody else up.
actor BoardQueue {
    private let executor: QueueExecutor

    init(_ name: String) { executor = QueueExecutor(name) }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    func run<Result: Sendable>(_ body: sending () throws -> Result) rethrows -> Result {
        try body()
    }
}

private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ name: String) { queue = DispatchQueue(label: name) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

extension ConformanceBoard {
    /// The turns of this board.
    var queue: BoardQueue { Self.queues[self]! }

    private static let queues = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, BoardQueue($0.rawValue)) })
}
