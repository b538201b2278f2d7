// BusyComputer: a trait for tests in real time on a computer that is overloaded.

import Foundation
import Synchronization
import Testing

/// A trait that excuses failures while processes stand still for so long that a board or a boot
/// loader rightly gives up its host. Such a failure counts as a known issue, and the test is run
/// again, a few times.
struct BusyComputer: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    private static let attempts = 4

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for _ in 0..<Self.attempts {
            let delays = Delays()
            try await withKnownIssue("the computer was too busy", isIntermittent: true) {
                try await function()
            } matching: { _ in
                delays.excuse()
            }
            if !delays.hasExcused { return }
        }
        try await function()
    }
}

extension Trait where Self == BusyComputer {
    static var againIfTheComputerIsBusy: Self { BusyComputer() }
}

/// The record of how late a thread wakes that wants to run every 5 ms.
private final class Delays: Sendable {
    private let longest = Atomic<Int64>(0)
    private let excuses = Atomic<Int>(0)

    private static let interval: Int64 = 5_000
    /// The delay from which a failure is excused, in microseconds. The dead-man trips after 250 ms,
    /// and a few delays in a row add up to that.
    private static let limit: Int64 = 80_000

    init() {
        Thread.detachNewThread { [weak self] in
            while let delays = self { delays.sleepOnce() }
        }
    }

    var hasExcused: Bool { excuses.load(ordering: .relaxed) > 0 }

    /// Returns whether a long delay excuses the failure that has just occurred, and counts the
    /// excuse.
    func excuse() -> Bool {
        let isLong = longest.load(ordering: .relaxed) > Self.limit
        if isLong { excuses.add(1, ordering: .relaxed) }
        return isLong
    }

    private func sleepOnce() {
        let clock = ContinuousClock()
        let time = clock.measure { usleep(useconds_t(Self.interval)) }
        let delay = Int64(time / .microseconds(1)) - Self.interval
        _ = longest.max(delay, ordering: .relaxed)
    }
}
