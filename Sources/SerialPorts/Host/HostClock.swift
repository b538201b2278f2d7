// HostClock: the clock of this computer, and all the ways in which a thread can wait.

import BridgeLink
import Dispatch
import POSIX

/// A clock, and the waits, threads and queues that depend on the clock.
///
/// Programs use the system's clock. A test replaces the system's clock with a clock that the test
/// advances, so that the same code runs in virtual time.
package protocol HostClock: AnyObject, Sendable {
    /// Returns the current time. The clock keeps running while the computer sleeps.
    func now() -> HostTime

    /// Returns the current calendar time, in microseconds since 1970 (UTC).
    func calendarTime() -> Microseconds

    /// Waits, like `poll(2)`, until a descriptor is ready or the deadline has passed.
    ///
    /// - Returns: the number of ready descriptors; -1, with `errno` set, if an error occurs. If
    ///   there are no descriptors, the call may return before the deadline.
    func poll(_ requests: inout [pollfd], until deadline: HostTime) -> Int32

    /// Returns the body of a new thread that runs `work`.
    func body(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// Creates a semaphore whose count is 0.
    func makeSemaphore() -> any HostSemaphore

    /// Creates a queue that runs its closures one at a time and in order.
    func makeQueue(_ label: String, isUtility: Bool) -> any HostQueue
}

/// A counting semaphore.
package protocol HostSemaphore: Sendable {
    func signal()
    /// Waits until the count is above 0, and then decrements it. Returns false if the deadline
    /// passes first.
    @discardableResult
    func wait(until deadline: HostTime) -> Bool
}

extension HostSemaphore {
    package func wait() { wait(until: .never) }
}

/// A queue that runs its closures one at a time and in order.
package protocol HostQueue: Sendable {
    func async(_ work: @escaping @Sendable () -> Void)
    /// Runs a closure after a delay, in microseconds.
    func async(after delay: Microseconds, _ work: @escaping @Sendable () -> Void)
}

extension HostClock {
    /// Waits, like `poll(2)`, with a timeout in microseconds.
    package func poll(_ requests: inout [pollfd], for timeout: Microseconds) -> Int32 {
        poll(&requests, until: now() + max(0, timeout))
    }

    /// Suspends the thread for the given time, in microseconds.
    package func sleep(for time: Microseconds) {
        let end = now() + time
        var none: [pollfd] = []
        while now() < end { _ = poll(&none, until: end) }
    }

    package func makeQueue(_ label: String) -> any HostQueue {
        makeQueue(label, isUtility: false)
    }
}

/// The system's clock.
package final class SystemClock: HostClock {
    package init() {}

    package func now() -> HostTime {
        var time = timespec()
        clock_gettime(Self.sleeplessClock, &time)
        return HostTime(
            microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    #if os(Linux)
        private static let sleeplessClock = CLOCK_BOOTTIME
    #else
        private static let sleeplessClock = CLOCK_MONOTONIC
    #endif

    package func calendarTime() -> Microseconds {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Microseconds(time.tv_sec) * 1_000_000 + Microseconds(time.tv_nsec) / 1_000
    }

    package func poll(_ requests: inout [pollfd], until deadline: HostTime) -> Int32 {
        guard deadline != .never else {
            return systemPoll(&requests, nfds_t(requests.count), -1)
        }
        let rest = max(0, deadline - now())
        guard !requests.isEmpty else {
            // The wait is accurate to a microsecond. A time that exceeds the maximum of usleep(3)
            // is divided into several calls.
            usleep(useconds_t(min(rest, 999_999)))
            return 0
        }
        // The timeout is rounded up to whole milliseconds, so that a loop does not poll repeatedly
        // during the last millisecond.
        return systemPoll(&requests, nfds_t(requests.count), rest.pollTimeout)
    }

    package func body(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void { work }

    package func makeSemaphore() -> any HostSemaphore { SystemSemaphore() }

    package func makeQueue(_ label: String, isUtility: Bool) -> any HostQueue {
        SystemQueue(DispatchQueue(label: label, qos: isUtility ? .utility : .unspecified))
    }
}

private final class SystemSemaphore: HostSemaphore {
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() { semaphore.signal() }

    func wait(until deadline: HostTime) -> Bool {
        guard deadline != .never else {
            semaphore.wait()
            return true
        }
        let rest = max(0, deadline - hostClock.now())
        return semaphore.wait(timeout: .now() + .microseconds(Int(rest))) == .success
    }
}

private final class SystemQueue: HostQueue {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func async(after delay: Microseconds, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .microseconds(Int(delay)), execute: work)
    }
}

/// Calls `poll(2)`. This function is for types that have a method of the same name.
package func systemPoll(_ requests: inout [pollfd], _ count: nfds_t, _ timeout: Int32) -> Int32 {
    poll(&requests, count, timeout)
}
