// Starting and stopping an engine.

import Dispatch

extension HapticEngine {
    /// Connects to the board and waits until it plays; returns at once if it does already.
    ///
    /// It takes about 0.1 s, and 2 s more with boards that reset when their port is opened: start
    /// once, early, and keep the engine. A stop ends it at once.
    /// - Throws: `notSupported`, `engineStartTimeout` for a board that does not get ready within 5 s,
    ///   `serverInitFailed` or `serverInterrupted`, with the reason in words.
    public func start() throws { try core.start() }

    /// Starts without waiting. What is asked of the engine afterwards comes after it.
    ///
    /// - Parameter completionHandler: told how it went.
    public func start(completionHandler: CompletionHandler?) {
        let callbacks = core.callbacks
        let handler = completionHandler.map(Handler.init)
        core.join(
            core.waiter { error in
                guard let handler else { return }
                callbacks.async { handler.call(error) }
            })
    }

    /// Starts; see ``start()-b789``.
    ///
    /// Cancelling the task ends the wait at once, and the start too if nobody else waits for it.
    /// - Throws: as ``start()-b789``, and `CancellationError`.
    public func start() async throws {
        try await core.wait { [core] in
            core.join($0)
        } cancel: { [core] in
            core.cancel($0)
        }
    }

    // MARK: Stopping

    /// Stops: everything comes to rest, all players are over, and the port is given back.
    ///
    /// - Parameter completionHandler: always called once, when the board is at rest or gone, also if
    ///   the engine is released before.
    public func stop(completionHandler: CompletionHandler? = nil) {
        core.stop(completionHandler.map(Handler.init))
    }

    /// Stops and waits until the board is at rest.
    public func stop() async throws {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            stop { _ in continuation.resume() }
        }
    }

    /// Calls a handler once when all players are over: at once if none plays. Players that are
    /// started after this call are waited for too.
    ///
    /// - Parameter finishedHandler: says whether the engine stops; then ``stoppedHandler`` is called
    ///   with `notifyWhenFinished`.
    public func notifyWhenPlayersFinished(finishedHandler: @escaping FinishedHandler) {
        core.change { state in
            state.finishedHandlers.append(Handler(finishedHandler))
            if state.active.isEmpty { core.callFinishedHandlers(&state, nil) }
        }
    }
}
