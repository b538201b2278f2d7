// VirtualClock: a clock that advances only when all of its threads wait.

import BridgeLink
import Dispatch
import Foundation
import POSIX
import SerialPorts

/// A clock whose threads run one at a time, in a fixed order. The time advances to the next
/// deadline when all threads wait.
///
/// Code that runs on this clock has the same result regardless of the computer's load. File
/// descriptors belong to the system, but pipes and local sockets deliver bytes without a delay, so
/// their state does not depend on the load either.
package final class VirtualClock: HostClock, @unchecked Sendable {
    /// A thread that is running or waiting for its turn.
    private final class Runner: @unchecked Sendable {
        let turn = DispatchSemaphore(value: 0)
        let program = HostProgram.current
        var deadline = HostTime.never
        var requests: [pollfd] = []
        var isReady: () -> Bool = { true }
    }

    private let lock = NSLock()
    /// All threads in the order in which they started. Only the thread that has the turn accesses
    /// this list.
    private var runners: [Runner] = []
    /// The thread that has the turn; nil if all threads wait for an external event.
    private var holder: Runner?
    private var time: HostTime
    /// The poll requests of all threads.
    private var polled: [pollfd] = []
    private var jobs: [UnownedJob] = []
    /// The number of threads that wait for a job.
    private var idleThreads = 0
    private var isOver = false
    /// The suspended programs, whose threads do not run.
    private var suspended: Set<ObjectIdentifier> = []

    package init(startingAt time: HostTime = HostTime(microseconds: 1_000_000_000)) {
        self.time = time
    }

    package func now() -> HostTime { time }

    /// Returns the calendar time: 2026-11-24T16:00:00Z (a Tuesday) plus the time of the clock.
    package func calendarTime() -> Microseconds { 1_795_536_000_000_000 + time.microseconds }

    package func poll(_ requests: inout [pollfd], until deadline: HostTime) -> Int32 {
        let runner = present
        runner.requests = requests
        wait(until: deadline, for: { false })
        requests = runner.requests
        runner.requests = []
        return Int32(clamping: requests.count { $0.revents != 0 })
    }

    package func body(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let runner = Runner()
        runners.append(runner)
        return { [self] in
            runner.turn.wait()
            HostProgram.$current.withValue(runner.program) { work() }
            runners.removeAll { $0 === runner }
            passOn(from: nil)
        }
    }

    /// Suspends a program, as SIGSTOP does, or continues it. The deadlines of a suspended program
    /// still expire.
    func suspend(_ program: HostProgram, _ isSuspended: Bool) {
        if isSuspended {
            suspended.insert(ObjectIdentifier(program))
        } else {
            suspended.remove(ObjectIdentifier(program))
        }
    }

    package func makeSemaphore() -> any HostSemaphore { VirtualSemaphore(self) }

    package func makeQueue(_ label: String, isUtility: Bool) -> any HostQueue {
        VirtualQueue(self, label)
    }

    // MARK: Turns

    private var present: Runner {
        guard let holder else {
            preconditionFailure("the thread does not belong to the virtual clock")
        }
        return holder
    }

    /// Makes the current thread wait until a condition is true, one of the thread's descriptors is
    /// ready, or the deadline has passed.
    fileprivate func wait(until deadline: HostTime, for isReady: @escaping () -> Bool) {
        let runner = present
        (runner.deadline, runner.isReady) = (deadline, isReady)
        passOn(from: runner)
        (runner.deadline, runner.isReady) = (.never, { true })
    }

    /// Passes the turn to the next thread, and returns when `runner` has the turn again.
    private func passOn(from runner: Runner?) {
        lock.lock()
        let next = next(after: runner)
        holder = next
        lock.unlock()
        guard next !== runner || next == nil else { return }
        next?.turn.signal()
        runner?.turn.wait()
    }

    /// Returns the next thread that is ready. If no thread is ready, advances the time to the next
    /// deadline. Returns nil if all threads wait indefinitely.
    private func next(after runner: Runner?) -> Runner? {
        pollAll()
        let count = runners.count
        let start = runner.flatMap { present in runners.firstIndex { $0 === present } } ?? -1
        for offset in 0..<count {
            let next = runners[(start + 1 + offset) % count]
            if canRun(next) { return next }
        }
        let running = suspended.isEmpty ? runners : runners.filter { !isSuspended($0) }
        guard let first = running.min(by: { $0.deadline < $1.deadline }), first.deadline != .never
        else { return nil }
        time = max(time, first.deadline)
        return first
    }

    /// Polls the descriptors of all threads in one call. Descriptors that are ready are reported
    /// even after the deadline.
    private func pollAll() {
        polled.removeAll(keepingCapacity: true)
        for runner in runners { polled += runner.requests }
        guard !polled.isEmpty, systemPoll(&polled, nfds_t(polled.count), 0) >= 0 else { return }
        var index = 0
        for runner in runners {
            for request in runner.requests.indices {
                runner.requests[request].revents = polled[index].revents
                index += 1
            }
        }
    }

    private func isSuspended(_ runner: Runner) -> Bool {
        suspended.contains(ObjectIdentifier(runner.program))
    }

    private func canRun(_ runner: Runner) -> Bool {
        guard suspended.isEmpty || !isSuspended(runner) else { return false }
        return runner.requests.contains { $0.revents != 0 } || runner.isReady()
            || runner.deadline <= time
    }
}

// MARK: Tasks

extension VirtualClock: TaskExecutor {
    /// Runs a task and all of its children on the clock.
    package func run<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        startJobThread()
        defer {
            lock.withLock { isOver = true }
            eventSignal()
        }
        return try await withTaskExecutorPreference(self) { try await body() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock { jobs.append(job) }
        eventSignal()
    }

    /// Passes the turn to a thread if no thread has the turn.
    private func eventSignal() {
        lock.lock()
        guard holder == nil else { return lock.unlock() }
        let next = next(after: nil)
        holder = next
        lock.unlock()
        next?.turn.signal()
    }

    private func startJobThread() {
        idleThreads += 1
        Thread(block: body { [self] in runJobs() }).start()
    }

    /// Runs jobs until the end of the test. At least one thread always waits for jobs, because a
    /// job may wait for another job.
    private func runJobs() {
        while true {
            wait(until: .never) { [self] in !jobs.isEmpty || isOver }
            let job = lock.withLock { jobs.isEmpty ? nil : jobs.removeFirst() }
            idleThreads -= 1
            guard let job else { return }
            if idleThreads == 0 { startJobThread() }
            job.runSynchronously(on: asUnownedTaskExecutor())
            idleThreads += 1
        }
    }
}

/// A semaphore of a virtual clock.
private final class VirtualSemaphore: HostSemaphore {
    private let clock: VirtualClock
    private let count = LockedValue(0)

    init(_ clock: VirtualClock) { self.clock = clock }

    func signal() { count.withLock { $0 += 1 } }

    func wait(until deadline: HostTime) -> Bool {
        if count.withLock({ $0 == 0 }) {
            clock.wait(until: deadline) { [count] in count.withLock { $0 > 0 } }
        }
        return count.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }
}

/// A queue of a virtual clock. A thread runs the closures in the queue, and ends after the last
/// closure.
private final class VirtualQueue: HostQueue {
    private let clock: VirtualClock
    private let label: String
    private let closures = LockedValue<[@Sendable () -> Void]>([])
    private let program = HostProgram.current

    init(_ clock: VirtualClock, _ label: String) { (self.clock, self.label) = (clock, label) }

    func async(_ work: @escaping @Sendable () -> Void) {
        let isFirst = closures.withLock { closures in
            closures.append(work)
            return closures.count == 1
        }
        guard isFirst else { return }
        start { [self] in
            while let next = closures.withLock({ $0.first }) {
                next()
                closures.withLock { _ = $0.removeFirst() }
            }
        }
    }

    func async(after delay: Microseconds, _ work: @escaping @Sendable () -> Void) {
        start { [self] in
            clock.sleep(for: delay)
            async(work)
        }
    }

    private func start(_ work: @escaping @Sendable () -> Void) {
        HostProgram.$current.withValue(program) {
            let thread = Thread(block: clock.body(work))
            thread.name = label
            thread.start()
        }
    }
}
