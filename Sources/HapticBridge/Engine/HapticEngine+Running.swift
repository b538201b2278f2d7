// Starting and stopping an engine.

import BridgeLink
import HapticBoards

extension HapticEngine {
    /// Connects to the board and waits until the board is ready to play. Returns immediately if the
    /// engine is already running.
    ///
    /// A start takes about 0.1 s, and 2 s longer with boards that reset when their port is opened,
    /// so start the engine once and early, and keep it running. Stopping the engine ends the start
    /// immediately.
    /// - Throws: `notSupported`, `serverInitFailed` or `serverInterrupted` with a message that
    ///   states the reason, or `engineStartTimeout` if the board is not ready within 5 s.
    public func start() throws { try core.start() }

    /// Starts the engine like ``start()-b789``, but with a timeout.
    ///
    /// - Throws: the errors of ``start()-b789``, or `engineStartTimeout` when the timeout has
    ///   elapsed.
    public func start(within timeout: Duration) throws(HapticError) {
        try core.start(within: Microseconds(timeout))
    }

    /// Starts the engine without waiting. Later requests to the engine are carried out after the
    /// start.
    ///
    /// - Parameter completionHandler: a handler that receives nil, or the reason why the start
    ///   failed, on a queue of the engine and never on the main thread.
    public func start(completionHandler: CompletionHandler?) {
        let callbacks = core.callbacks
        let handler = completionHandler.map(Handler.init)
        core.join(
            core.waiter { error in
                guard let handler else { return }
                callbacks.async { handler.call(error) }
            })
    }

    /// Starts the engine; see ``start()-b789``.
    ///
    /// If the task is canceled, the wait ends immediately. The start is also abandoned if no other
    /// caller is waiting for the engine to start.
    /// - Throws: the errors of ``start()-b789``, and `CancellationError`.
    public func start() async throws { try await begin(within: nil) }

    /// Starts the engine like ``start()-b789``, but with a timeout. Canceling the task also
    /// abandons the start.
    ///
    /// - Throws: the errors of ``start()-b789`` and `CancellationError`, or `engineStartTimeout`
    ///   when the timeout has elapsed.
    public func start(within timeout: Duration) async throws {
        try await begin(within: Microseconds(timeout))
    }

    private func begin(within limit: Microseconds?) async throws {
        try await core.wait { [core] in
            core.join($0, within: limit)
        } cancel: { [core] in
            core.cancel($0)
        }
    }

    /// The path of the board's port; nil before the board has answered.
    package var port: String? { state.withLock { $0.endpoint?.path } }

    // MARK: Stopping

    /// Stops the engine: all actuators come to rest, all players end, and the port is closed.
    ///
    /// - Parameter completionHandler: a handler that is called exactly once, when the board is at
    ///   rest or has been lost, even if the engine is released before that time. The handler is
    ///   called on a queue of the engine and never on the main thread.
    public func stop(completionHandler: CompletionHandler? = nil) {
        core.stop(completionHandler.map(Handler.init))
    }

    /// Stops the engine and waits until the board is at rest.
    public func stop() async throws {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            stop { _ in continuation.resume() }
        }
    }

    /// Calls a handler once when all players have ended, or immediately if no player is playing.
    /// Players that are started after this call also delay the handler.
    ///
    /// To wait for a single player, a task uses ``HapticPatternPlayer/finished``.
    ///
    /// - Parameter finishedHandler: a handler that decides whether the engine stops. The handler is
    ///   called on a queue of the engine and never on the main thread. If the engine stops,
    ///   ``stoppedHandler`` is called with `notifyWhenFinished`.
    public func notifyWhenPlayersFinished(finishedHandler: @escaping FinishedHandler) {
        core.change { state in
            state.finishedHandlers.append(Handler(finishedHandler))
            if state.active.isEmpty { core.callFinishedHandlers(&state, nil) }
        }
    }
}
