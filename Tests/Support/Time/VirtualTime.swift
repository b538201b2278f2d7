// VirtualTime: tests that run on a virtual clock.

import Foundation
import SerialPorts
import Testing

/// The trait of tests that run in virtual time: every clock, wait, thread and queue of what they test
/// follows a clock of their own, which advances when everything waits.
public struct VirtualTime: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await Self.run(function)
    }

    /// Runs a closure in a virtual time of its own.
    public static func run<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let clock = VirtualClock()
        // An engine of the test serves its board itself: a process would not follow the clock.
        let network = VirtualNetwork()
        let program = HostProgram(
            clock: clock,
            variables: ["BRIDGE_SERVER": "", "XDG_RUNTIME_DIR": network.folder.url.path],
            network: network)
        return try await HostProgram.$current.withValue(program) { try await clock.run(body) }
    }
}

extension Trait where Self == VirtualTime {
    /// Runs each test in virtual time.
    public static var virtualTime: VirtualTime { VirtualTime() }
}

/// The executor of tasks that a test in virtual time starts; nil in real time. A task that is not a
/// child of the test does not inherit it.
public var taskExecutor: (any TaskExecutor)? { hostClock as? VirtualClock }

extension HostQueue {
    /// Returns once all closures that were added before have run.
    package func drain() {
        let isDone = hostClock.makeSemaphore()
        async { isDone.signal() }
        isDone.wait()
    }
}
