// Tests of the judgment of the witness, with artificial stalls.

import Synchronization
import Testing

@Suite struct WitnessTests {
    /// The outcome of a test under the trait.
    private struct Run {
        var attempts = 0
        /// The failures, except excused issues.
        var failures: [String] = []
        /// The lines that the trait has printed.
        var lines: [String] = []
    }

    /// Runs a closure under a trait with simulated stalls, one per attempt.
    private func run(stalls: [Int], _ body: (Int) throws -> Void) async throws -> Run {
        let run = Box(Run())
        let trait = Witnessed(
            tolerance: .milliseconds(80),
            begin: {
                let stall = run.value.withLock { stalls.dropFirst($0.attempts).first ?? 0 }
                return { .milliseconds(stall) }
            },
            report: { line in run.value.withLock { $0.lines.append(line) } })
        try await withKnownIssue(isIntermittent: true) {
            try await trait.run("it") {
                let attempt = run.value.withLock { run in
                    run.attempts += 1
                    return run.attempts
                }
                try body(attempt)
            }
        } matching: { issue in
            run.value.withLock { $0.failures.append("\(issue)") }
            return true
        }
        return run.value.withLock { $0 }
    }

    private final class Box: Sendable {
        let value: Mutex<Run>

        init(_ run: sending Run) { value = Mutex(run) }
    }

    @Test func anAttemptThatFailsDuringAStallIsRepeatedAndReported() async throws {
        struct Failure: Error {}
        let run = try await run(stalls: [81, 200, 90, 0]) { attempt in
            if attempt == 1 { Issue.record("late") }
            if attempt == 2 { throw Failure() }
            if attempt == 3 { try #require(attempt == 4) }
        }
        #expect(run.attempts == 4 && run.failures.isEmpty)
        #expect(
            run.lines == [
                "it: attempt 1 is inconclusive: a stall of 81 ms",
                "it: attempt 2 is inconclusive: a stall of 200 ms",
                "it: attempt 3 is inconclusive: a stall of 90 ms",
            ])
    }

    @Test(arguments: [[0], [80], [81, 79]])
    func aFailureWithoutALongStallIsAFailureAtOnce(stalls: [Int]) async throws {
        let run = try await run(stalls: stalls) { _ in Issue.record("wrong") }
        #expect(run.attempts == stalls.count)
        #expect(run.failures.count == 1 && run.failures[0].contains("wrong"))
    }

    @Test func stallsWithoutEndAreAFailureAndNeverAPass() async throws {
        let run = try await run(stalls: Array(repeating: 500, count: 9)) { _ in Issue.record("late")
        }
        #expect(run.attempts == Witnessed.attempts)
        #expect(run.failures.count == 1 && run.failures[0].contains("none of the 5 attempts"))
        // A stall has no effect on a test that passes.
        let pass = try await self.run(stalls: [500]) { _ in }
        #expect(pass.attempts == 1 && pass.failures.isEmpty)
    }

    @Test func stallsAddUpWithinTheTimeOfTheDeadMan() {
        var record = StallRecord()
        for (end, length) in [(1_000, 90), (100_000, 40), (200_000, 50), (500_000, 60)] {
            record.add(Int64(length), endingAt: Int64(end))
        }
        #expect(record.longest(since: 0) == 180)
        #expect(record.longest(since: 1_001) == 90)
        #expect(record.longest(since: 300_000) == 60)
        #expect(record.longest(since: 500_001) == 0)
    }
}
