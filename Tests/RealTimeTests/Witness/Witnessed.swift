// Witnessed: a trait for tests in real time, whose failures count only if the computer did not stand
// still.

import Foundation
import Synchronization
import Testing

/// A trait that runs a test while a witness measures how long the computer stands still.
///
/// An issue that is recorded after a stall longer than the tolerance makes the attempt inconclusive:
/// it is no failure, and the test is run again, a bounded number of times. Any other issue is a failure
/// at once. A test of which no attempt was conclusive fails.
struct Witnessed: SuiteTrait, TestTrait, TestScoping {
    /// Returns a closure that tells the longest stall since then.
    typealias Beginning = @Sendable () -> @Sendable () -> Duration

    /// The stall that a test bears.
    let tolerance: Duration
    private let begin: Beginning
    private let tell: @Sendable (String) -> Void

    let isRecursive = true
    static let attempts = 5

    /// - Parameters:
    ///   - begin: begins to measure; the default asks the witness of this process.
    ///   - tell: receives a line for each attempt that is inconclusive.
    init(
        tolerance: Duration, begin: @escaping Beginning = Self.witness,
        tell: @escaping @Sendable (String) -> Void = Repetitions.tell
    ) {
        (self.tolerance, self.begin, self.tell) = (tolerance, begin, tell)
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        Repetitions.begin()
        try await run(test.name, function)
    }

    /// Runs a test until an attempt is conclusive.
    func run(_ name: String, _ function: () async throws -> Void) async throws {
        for attempt in 1...Self.attempts {
            let judgement = Judgement(tolerance, begin())
            try await withKnownIssue("the computer stood still", isIntermittent: true) {
                try await function()
            } matching: { _ in
                judgement.excuses()
            }
            guard let stall = judgement.stallOfInconclusive else { return }
            tell("\(name): attempt \(attempt) is inconclusive: a stall of \(stall.milliseconds) ms")
        }
        Issue.record("\(name): none of \(Self.attempts) attempts was conclusive")
    }

    private static let witness: Beginning = {
        let start = Witness.now()
        return { .microseconds(Witness.shared.longestStall(since: start)) }
    }
}

extension Trait where Self == Witnessed {
    /// Repeats a test that fails while the computer stands still for longer than `tolerance`.
    static func witnessed(tolerance: Duration) -> Witnessed { Witnessed(tolerance: tolerance) }
}

/// The meaning of the issues of one attempt.
private final class Judgement: Sendable {
    private let tolerance: Duration
    private let longestStall: @Sendable () -> Duration
    private let state = Mutex((stall: Duration?.none, hasFailed: false))

    init(_ tolerance: Duration, _ longestStall: @escaping @Sendable () -> Duration) {
        (self.tolerance, self.longestStall) = (tolerance, longestStall)
    }

    /// Returns whether a stall explains the issue that has just been recorded.
    func excuses() -> Bool {
        let stall = longestStall()
        return state.withLock { state in
            guard stall > tolerance else {
                state.hasFailed = true
                return false
            }
            state.stall = stall
            return true
        }
    }

    /// The stall that makes the attempt inconclusive; nil if it has passed or failed.
    var stallOfInconclusive: Duration? {
        state.withLock { $0.hasFailed ? nil : $0.stall }
    }
}

/// The repetitions of this run, whose number is printed when it ends.
enum Repetitions {
    private static let count = Atomic(0)

    private static let isPrintedAtExit: Void = {
        _ = atexit {
            print("real-time checks repeated: \(Repetitions.count.load(ordering: .relaxed))")
        }
    }()

    /// Lets the number be printed at the end of the process, also if it is 0.
    static func begin() { isPrintedAtExit }

    /// Counts a repetition, and prints a line about it.
    @Sendable static func tell(_ line: String) {
        begin()
        count.add(1, ordering: .relaxed)
        print(line)
    }
}

extension Duration {
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
