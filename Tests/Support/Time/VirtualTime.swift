// VirtualTime: tests that run on a virtual clock.

import Foundation
import SerialPorts
import Testing

/// A trait of tests that run in virtual time. Each test has a virtual clock, which advances only
/// when all threads wait. All clocks, waits, threads and queues of the tested code use this clock.
public struct VirtualTime: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await Self.run(function)
    }

    /// Runs a closure in its own virtual time.
    public static func run<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let clock = VirtualClock()
        // The engines in a test serve their boards in the test's process, because another process
        // would not use the virtual clock.
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

/// The executor for tasks that a test starts in virtual time; nil in real time. Tasks that are not
/// children of the test do not inherit this executor.
public var taskExecutor: (any TaskExecutor)? { hostClock as? VirtualClock }

extension HostQueue {
    /// Waits until all closures that were added before the call have run.
    package func drain() {
        let isDone = hostClock.makeSemaphore()
        async { isDone.signal() }
        isDone.wait()
    }
}
