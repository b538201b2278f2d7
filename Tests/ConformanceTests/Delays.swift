// Delays: a record of whether the processor was available early enough for valid results of a board
// in real time.

import Synchronization
import Testing
import VirtualBoard

/// The maximum delay of this process, or of the program that simulates the board, during a test.
final class Delays: Sendable {
    private let longest = Atomic<Int64>(0)
    private let excuses = Atomic<Int>(0)

    /// The minimum delay that excuses a failure, in microseconds. A board answers within 5 ms, and
    /// the tests wait at least 100 ms for a few answers.
    private static let limit: BoardTime = 40_000
    private static let attempts = 4

    func record(_ delay: BoardTime) {
        _ = longest.max(delay, ordering: .relaxed)
    }

    /// Runs a test that would fail even on a correct board if a process is suspended for too long.
    /// A failure after a long delay is recorded as a known issue, and the test is repeated a few
    /// times.
    static func excused<Result>(_ body: (Delays) throws -> Result) throws -> Result {
        for _ in 0..<attempts {
            let delays = Delays()
            var result: Result?
            try withKnownIssue("a process was suspended", isIntermittent: true) {
                result = try body(delays)
            } matching: { _ in
                delays.excuse()
            }
            if let result, delays.excuses.load(ordering: .relaxed) == 0 { return result }
        }
        return try body(Delays())
    }

    private func excuse() -> Bool {
        let isLong = longest.load(ordering: .relaxed) > Self.limit
        if isLong { excuses.add(1, ordering: .relaxed) }
        return isLong
    }
}
