// BoardQueue: tests that take turns at one board while others run on other boards.

import Dispatch

/// A queue that runs what it is given one after the other, on a thread of its own. A test that
/// waits for a board in real time therefore delays no test of another board.
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
    /// The queue of the tests that take turns at this board.
    var queue: BoardQueue { Self.queues[self]! }

    private static let queues = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, BoardQueue($0.rawValue)) })
}
