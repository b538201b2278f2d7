// BoardSearches: the searches for boards that are in progress.

import SerialPorts

/// The searches for boards that are in progress in a program. A thread for a named port waits until
/// the searches have ended, because a search keeps open the ports that it probes, and may find the
/// board at the named port.
final class BoardSearches: Sendable {
    private struct State {
        var count = 0
        var waiting: [any HostSemaphore] = []
    }

    private let state = LockedValue(State())

    func enter() { state.withLock { $0.count += 1 } }

    func leave() {
        state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return }
            for semaphore in state.waiting { semaphore.signal() }
            state.waiting = []
        }
    }

    /// Waits until no search is in progress.
    func wait() {
        let isOver: (any HostSemaphore)? = state.withLock { state in
            guard state.count > 0 else { return nil }
            let semaphore = hostClock.makeSemaphore()
            state.waiting.append(semaphore)
            return semaphore
        }
        isOver?.wait()
    }
}
