// BoardQueue: a queue that serializes the tests of one board while the tests of other boards run in
// parallel.

import Dispatch

/// A queue that runs closures one after the other on its own thread. A test that waits for a board
/// in real time therefore does not delay the tests of other boards.
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
    /// The queue that serializes the tests of this board.
    var queue: BoardQueue { Self.queues[self]! }

    private static let queues = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, BoardQueue($0.rawValue)) })
}
