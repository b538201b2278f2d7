// Tasks that wait for an engine or a player.

import SerialPorts

extension EngineCore {
    /// Waits until a waiter is notified.
    ///
    /// - Parameters:
    ///   - join: a closure that registers the waiter, which is notified later.
    ///   - cancel: a closure that is called when the task is canceled. The closure notifies the
    ///     waiter unless the waiter has already been notified.
    /// - Throws: the error that the waiter receives.
    func wait(
        _ join: @escaping @Sendable (Waiter) -> Void,
        cancel: @escaping @Sendable (Waiter) -> Void
    ) async throws {
        let task = WaitingTask(self)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { task.begin($0, join, cancel) }
        } onCancel: {
            task.cancel(cancel)
        }
    }
}

/// A task that is waiting for an engine or a player.
private final class WaitingTask: Sendable {
    private let core: EngineCore
    private let continuation = LockedValue<CheckedContinuation<Void, any Error>?>(nil)
    private let waiter: LockedValue<Waiter?> = LockedValue(nil)

    init(_ core: EngineCore) { self.core = core }

    func begin(
        _ continuation: CheckedContinuation<Void, any Error>, _ join: (Waiter) -> Void,
        _ cancel: (Waiter) -> Void
    ) {
        _ = self.continuation.exchange(continuation)
        let waiter = core.waiter { [self] error in
            // Resuming the task may run code of the app, which must not run under the engine's
            // lock. The waiting code may itself be a handler of the app.
            core.background.async { [self] in finish(error) }
        }
        _ = self.waiter.exchange(waiter)
        join(waiter)
        // The task may have been canceled before the waiter was registered.
        if Task.isCancelled { self.cancel(cancel) }
    }

    func cancel(_ cancel: (Waiter) -> Void) {
        if let waiter = waiter.exchange(nil) { cancel(waiter) }
    }

    private func finish(_ error: (any Error)?) {
        _ = waiter.exchange(nil)
        guard let continuation = continuation.exchange(nil) else { return }
        if let error {
            continuation.resume(throwing: error)
        } else {
            continuation.resume()
        }
    }
}
