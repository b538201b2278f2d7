// Witnessed: a trait of tests in real time whose failures count only if the computer has not
// stalled.

import Foundation
import Synchronization
import Testing

/// A trait that runs a test while a witness measures the stalls of the computer.
///
/// An issue after a stall that exceeds the tolerance is not a failure, but makes the attempt
/// inconclusive, and the test is repeated a limited number of times. Any other issue is an
/// immediate failure. A test without a conclusive attempt fails.
struct Witnessed: SuiteTrait, TestTrait, TestScoping {
    /// A closure that starts a measurement. The returned closure returns the longest stall since
    /// the start.
    typealias Beginning = @Sendable () -> @Sendable () -> Duration

    /// The maximum stall that a test tolerates.
    let tolerance: Duration
    private let begin: Beginning
    private let report: @Sendable (String) -> Void

    let isRecursive = true
    static let attempts = 5

    /// - Parameters:
    ///   - begin: a closure that begins the measurement, by default with the witness of this
    ///   process.
    ///   - report: a closure that receives a line for each inconclusive attempt.
    init(
        tolerance: Duration, begin: @escaping Beginning = Self.witness,
        report: @escaping @Sendable (String) -> Void = Repetitions.report
    ) {
        (self.tolerance, self.begin, self.report) = (tolerance, begin, report)
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
            try await withKnownIssue("the computer stalled", isIntermittent: true) {
                try await function()
            } matching: { _ in
                judgement.excuses()
            }
            guard let stall = judgement.stallOfInconclusive else { return }
            report(
                "\(name): attempt \(attempt) is inconclusive: a stall of \(stall.milliseconds) ms")
        }
        Issue.record("\(name): none of the \(Self.attempts) attempts was conclusive")
    }

    private static let witness: Beginning = {
        let start = Witness.now()
        return { .microseconds(Witness.shared.longestStall(since: start)) }
    }
}

extension Trait where Self == Witnessed {
    /// Repeats a test that fails while the computer stalls for longer than `tolerance`.
    static func witnessed(tolerance: Duration) -> Witnessed { Witnessed(tolerance: tolerance) }
}

/// The judgment of the issues in one attempt.
private final class Judgement: Sendable {
    private let tolerance: Duration
    private let longestStall: @Sendable () -> Duration
    private let state = Mutex((stall: Duration?.none, hasFailed: false))

    init(_ tolerance: Duration, _ longestStall: @escaping @Sendable () -> Duration) {
        (self.tolerance, self.longestStall) = (tolerance, longestStall)
    }

    /// Returns true if a stall explains the last recorded issue.
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

    /// The stall that makes the attempt inconclusive; nil if the attempt has passed or failed.
    var stallOfInconclusive: Duration? {
        state.withLock { $0.hasFailed ? nil : $0.stall }
    }
}

/// The number of repetitions in this run, which is printed when the run ends.
enum Repetitions {
    private static let count = Atomic(0)

    private static let isPrintedAtExit: Void = {
        _ = atexit {
            print("real-time checks repeated: \(Repetitions.count.load(ordering: .relaxed))")
        }
    }()

    /// Prints the number of repetitions when the process ends, even if the number is 0.
    static func begin() { isPrintedAtExit }

    /// Counts a repetition, and prints a line that describes it.
    @Sendable static func report(_ line: String) {
        begin()
        count.add(1, ordering: .relaxed)
        print(line)
    }
}

extension Duration {
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
