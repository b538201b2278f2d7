// Starting and stopping an engine, and what becomes of it in between.

import AHAP
import Dispatch

extension HapticEngine {
    // MARK: Starting

    /// Connects to the board and waits until it plays; returns at once if it does already.
    ///
    /// It takes about 0.1 s, and 2 s more with boards that reset when their port is opened: start
    /// once, early, and keep the engine.
    /// - Throws: `notSupported`, `engineStartTimeout`, `serverInitFailed` or `serverInterrupted`,
    ///   with the reason in words.
    public func start() throws { try finish(beginStart()) }

    /// Starts without waiting. What is asked of the engine afterwards comes after it.
    ///
    /// - Parameter completionHandler: told how it went.
    public func start(completionHandler: CompletionHandler?) {
        let begun = Result { try beginStart() }
        DispatchQueue.global().async { [self] in
            var failure: (any Error)?
            do { try finish(begun.get()) } catch { failure = error }
            guard let completionHandler else { return }
            callbacks.async { [failure] in completionHandler(failure) }
        }
    }

    /// Starts; see ``start()-b789``.
    public func start() async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            start { error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume()
                }
            }
        }
    }

    /// What a start waits for.
    private enum StartStep {
        /// The end of a stop that was asked for before: then it begins.
        case stop(StartWaiter)
        case start(StartWaiter)
    }

    /// Begins a start, or joins one. Returns what it waits for; nil if the engine is running.
    private func beginStart() throws -> StartStep? {
        try state.withLock { state in
            let waiter = StartWaiter()
            switch state.run {
            case .running: return nil
            case .stopping:
                // What was asked for first is done first. Whoever waits may be a handler itself.
                state.stopWaiters.append(waiter)
                return .stop(waiter)
            case .starting: break
            case .reset:
                state.mailbox?.post(.restart)
                begin(&state)
            case .stopped:
                let mailbox = try BoardLoop.serve(self)
                state.mailbox = mailbox
                begin(&state)
                if state.isMutedForHaptics { mailbox.post(.mute(true)) }
                mailbox.post(.shutDown(afterIdle: state.idleTimeout))
            }
            state.startWaiters.append(waiter)
            return .start(waiter)
        }
    }

    private func finish(_ step: StartStep?) throws {
        var next = step
        while case .stop(let waiter) = next {
            try waiter.wait()
            next = try beginStart()
        }
        if case .start(let waiter) = next { try waiter.wait() }
    }

    private func begin(_ state: inout EngineState) {
        state.run = .starting
        state.runNumber += 1
        state.isShutDown = false
        state.stopReason = nil
    }

    // MARK: Stopping

    /// Stops: everything comes to rest, all players are over, and the port is given back.
    ///
    /// - Parameter completionHandler: always called, once the board is at rest or gone.
    public func stop(completionHandler: CompletionHandler? = nil) {
        state.withLock { state in
            guard let mailbox = state.mailbox else {
                if let completionHandler { callbacks.async { completionHandler(nil) } }
                return
            }
            if let completionHandler { state.stopHandlers.append(completionHandler) }
            stop(mailbox, &state, because: nil)
        }
    }

    /// Stops and waits until the board is at rest.
    public func stop() async throws {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            stop { _ in continuation.resume() }
        }
    }

    private func stop(
        _ mailbox: EngineMailbox, _ state: inout EngineState, because reason: StoppedReason?
    ) {
        guard state.run != .stopping else { return }
        state.run = .stopping
        state.stopReason = reason
        state.isShutDown = reason == .idleTimeout
        mailbox.post(.stop)
    }

    /// Calls a handler once when all players are over: at once if none plays. Players that are
    /// started after this call are waited for too.
    ///
    /// - Parameter finishedHandler: says whether the engine stops; then ``stoppedHandler`` is called
    ///   with `notifyWhenFinished`.
    public func notifyWhenPlayersFinished(finishedHandler: @escaping FinishedHandler) {
        state.withLock { state in
            state.finishedHandlers.append(finishedHandler)
            if state.active.isEmpty { callFinishedHandlers(&state, nil) }
        }
    }

    // MARK: Reports

    /// Called on the board's thread.
    func take(_ report: EngineReport, from mailbox: EngineMailbox) {
        state.withLock { state in
            guard state.mailbox === mailbox else { return }
            switch report {
            case .started:
                if state.run == .starting { state.run = .running }
                finishStart(&state, nil)
            case .finished(let players): finish(players, &state, nil)
            case .reset:
                let error = HapticError(.serverInterrupted, "the board was reset")
                // One that is being started again goes on to be.
                if state.run == .running { state.run = .reset }
                state.resets += 1
                state.sounds = [:]
                finish(Array(state.active), &state, error)
                callbacks.async { [handler = state.resetHandler] in handler() }
            case .failed(let error): end(&state, error, because: nil)
            case .lost(let error):
                end(&state, error, because: state.run == .stopping ? nil : .systemError)
            case .idle where state.run == .running && state.active.isEmpty:
                stop(mailbox, &state, because: .idleTimeout)
            case .idle, .surveyed: break
            case .outranked: stop(mailbox, &state, because: nil)
            case .stopped: end(&state, nil, because: state.stopReason)
            }
        }
    }

    private func finishStart(_ state: inout EngineState, _ error: HapticError?) {
        for waiter in state.startWaiters { waiter.finish(error) }
        state.startWaiters = []
    }

    private func end(
        _ state: inout EngineState, _ error: HapticError?, because reason: StoppedReason?
    ) {
        let hasStarted = state.run != .starting
        state.isShutDown = reason == .idleTimeout
        state.run = .stopped
        state.mailbox = nil
        finishStart(&state, error ?? HapticError(.serverInterrupted, "the engine was stopped"))
        finish(Array(state.active), &state, error)
        for handler in state.stopHandlers { callbacks.async { handler(nil) } }
        state.stopHandlers = []
        for waiter in state.stopWaiters { waiter.finish(nil) }
        state.stopWaiters = []
        if let reason, hasStarted {
            callbacks.async { [handler = state.stoppedHandler] in handler(reason) }
        }
    }

    private func finish(
        _ players: [PlayerID], _ state: inout EngineState, _ error: HapticError?
    ) {
        for player in players {
            state.active.remove(player)
            // A player that goes here tells the engine, which is locked: later.
            if let shot = state.oneShots.removeValue(forKey: player) {
                callbacks.async { _ = shot }
            }
            if let handler = state.completionHandlers[player] {
                callbacks.async { handler(error) }
            }
            if state.released.remove(player) != nil { state.completionHandlers[player] = nil }
        }
        if state.active.isEmpty { callFinishedHandlers(&state, error) }
    }

    private func callFinishedHandlers(_ state: inout EngineState, _ error: HapticError?) {
        let handlers = state.finishedHandlers
        state.finishedHandlers = []
        for handler in handlers {
            callbacks.async { [weak self] in
                guard handler(error) == .stopEngine, let self else { return }
                self.state.withLock { state in
                    guard let mailbox = state.mailbox, state.run == .running else { return }
                    self.stop(mailbox, &state, because: .notifyWhenFinished)
                }
            }
        }
    }
}
