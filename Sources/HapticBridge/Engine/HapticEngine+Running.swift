// The start and the stop of an engine.

import BridgeLink
import HapticBoards

extension HapticEngine {
    /// Connects to the board and waits until it can play. Returns at once if the engine is already
    /// running.
    ///
    /// A start takes about 0.1 s, and 2 s more with boards that reset when their port is opened, so
    /// start the engine once, early, and keep it. A stop ends the start at once.
    /// - Throws: `notSupported`, `engineStartTimeout` for a board that is not ready within 5 s,
    ///   `serverInitFailed` or `serverInterrupted`, with the reason in words.
    public func start() throws { try core.start() }

    /// Starts the engine as ``start()-b789`` does, and gives the start up once a time has passed.
    ///
    /// - Throws: the errors of ``start()-b789``; `engineStartTimeout` after that time.
    public func start(within timeout: Duration) throws(HapticError) {
        try core.start(within: Microseconds(timeout))
    }

    /// Starts the engine without waiting. Later requests to the engine are carried out after the
    /// start.
    ///
    /// - Parameter completionHandler: receives nil, or the reason why the start failed, on a queue of
    ///   the engine and never on the main thread.
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
    /// Cancelling the task ends the wait at once, and the start too if nobody else is waiting for
    /// it.
    /// - Throws: the errors of ``start()-b789``, and `CancellationError`.
    public func start() async throws { try await begin(within: nil) }

    /// Starts the engine as ``start()-b789`` does, and gives the start up once a time has passed, or
    /// when the task is cancelled.
    ///
    /// - Throws: the errors of ``start()-b789``, and `CancellationError`; `engineStartTimeout` after
    ///   that time.
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

    /// The path of the port of the board; nil before the board has answered.
    package var port: String? { state.withLock { $0.place?.path } }

    // MARK: Stopping

    /// Stops the engine: everything comes to rest, all players are over, and the port is closed.
    ///
    /// - Parameter completionHandler: always called once, when the board is at rest or gone, even
    ///   if the engine is released before; on a queue of the engine and never on the main thread.
    public func stop(completionHandler: CompletionHandler? = nil) {
        core.stop(completionHandler.map(Handler.init))
    }

    /// Stops the engine and waits until the board is at rest.
    public func stop() async throws {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            stop { _ in continuation.resume() }
        }
    }

    /// Calls a handler once when all players are over, or at once if none is playing. Players that
    /// are started after this call are waited for too.
    ///
    /// A task waits for a single player by ``HapticPatternPlayer/finished``.
    ///
    /// - Parameter finishedHandler: decides whether the engine stops, on a queue of the engine and
    ///   never on the main thread. If it does, ``stoppedHandler`` is called with `notifyWhenFinished`.
    public func notifyWhenPlayersFinished(finishedHandler: @escaping FinishedHandler) {
        core.change { state in
            state.finishedHandlers.append(Handler(finishedHandler))
            if state.active.isEmpty { core.callFinishedHandlers(&state, nil) }
        }
    }
}
