// BusyComputer: tests in real time, on a computer that has too much else to do.

import Foundation
import Synchronization
import Testing

/// Excuses what fails while processes stand still for so long that a board or a boot loader gives its
/// host up, as they should: that is a known issue then, and the test is run again, a few times.
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

/// Watches how late a thread is that wants to run every few milliseconds.
private final class Delays: Sendable {
    private let longest = Atomic<Int64>(0)
    private let excuses = Atomic<Int>(0)

    private static let interval: Int64 = 5_000
    /// A quarter of a second is the dead-man's; a few delays in a row make it.
    private static let limit: Int64 = 80_000

    init() {
        Thread.detachNewThread { [weak self] in
            while let delays = self { delays.sleepOnce() }
        }
    }

    var hasExcused: Bool { excuses.load(ordering: .relaxed) > 0 }

    /// Whether there is an excuse for what has just failed.
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
