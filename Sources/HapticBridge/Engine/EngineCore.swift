// EngineCore: the part of an engine that outlives the app's reference to it. The board's thread
// retains this part until the board is at rest, so that waiting callers are notified even after the
// app has released the engine.

import BoardEngine
import BridgeLink
import HapticBoards
import HapticCompiler
import SerialPorts

/// The state and the operations of an engine, from its start to its stop.
final class EngineCore: Sendable {
    let device: HapticDevice
    let locality: HapticLocality
    let state = LockedValue(EngineState())
    /// The players with the commands that the app gave them. The output is computed from these
    /// commands. The lock of the players is acquired only while the lock of the state is held.
    let voices = LockedValue(PlayedVoices())
    /// The sounds of the players. The lock of the sounds is acquired only while the lock of the
    /// state is held.
    let sound = EngineSound()
    /// The voice coils on which the engine plays; nil for a board or a preview.
    let coils: EngineCoils?
    /// The queue on which handlers are called.
    let callbacks = hostClock.makeQueue("haptic-bridge.callbacks")
    /// The queue for work that must not wait for a handler: searching for a missing board, and
    /// resuming tasks.
    let background = hostClock.makeQueue("haptic-bridge.background", isUtility: true)

    init(device: HapticDevice, locality: HapticLocality) {
        self.device = device
        self.locality = locality
        coils = device.coils.map { EngineCoils($0, locality) }
    }

    /// Changes the state. Objects that the change discards are released after the pending handlers,
    /// because the release of an object may run code of the app that calls the engine.
    func change<Result, Failure>(
        _ body: (inout EngineState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var discarded: [any Sendable] = []
        defer { if !discarded.isEmpty { release(&discarded) } }
        return try state.withLock { state throws(Failure) in
            defer { swap(&discarded, &state.discarded) }
            return try body(&state)
        }
    }

    private func release(_ items: inout [any Sendable]) {
        let last = LockedValue(items)
        items = []
        callbacks.async { _ = last.exchange([]) }
    }

    /// True if the engine is running, so that players can play without starting the engine first.
    var isRunning: Bool { state.withLock { $0.run == .running } }

    // MARK: Starting

    /// Starts the engine and waits until the engine has started.
    ///
    /// - Parameter limit: the timeout of the start in microseconds; nil for no timeout.
    func start(within limit: Microseconds? = nil) throws(HapticError) {
        let answered = hostClock.makeSemaphore()
        let failure = LockedValue<(any Error)?>(nil)
        join(
            waiter { error in
                failure.withLock { $0 = error }
                answered.signal()
            }, within: limit)
        answered.wait()
        guard let error = failure.withLock({ $0 }) else { return }
        throw error as? HapticError ?? HapticError(connecting: error)
    }

    /// Creates a waiter with a new number.
    ///
    /// - Parameter absence: the number of the wait for a missing board, which ends when the engine
    ///   has started; nil if the app requested the start.
    func waiter(
        endOf absence: Int? = nil, _ notify: @escaping @Sendable ((any Error)?) -> Void
    ) -> Waiter {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return Waiter(number: number, absence: absence, notify: notify)
    }

    /// Begins a start, or joins a start that is in progress. The waiter is notified immediately if
    /// the engine is running, and receives an error if the timeout, in microseconds, elapses first.
    func join(_ waiter: Waiter, within limit: Microseconds?) {
        join(waiter)
        guard let limit else { return }
        background.async(after: limit) { [weak self] in
            let seconds = limit.seconds
            self?.cancel(
                waiter,
                because: HapticError(
                    .engineStartTimeout, "the engine has not started within \(seconds) s"))
        }
    }

    /// Begins a start, or joins a start that is in progress. The waiter is notified immediately if
    /// the engine is running.
    func join(_ waiter: Waiter) {
        if isRunning { return waiter.notify(nil) }
        // This call is made without holding the lock, because it accesses the file system and
        // therefore takes time.
        let identity = device.source.identity()
        do {
            try change { state in
                guard !state.isDestroyed else {
                    throw HapticError(.serverInterrupted, "the engine was released")
                }
                if let absence = waiter.absence, absence != state.absence {
                    throw CancellationError()
                }
                switch state.run {
                case .running: waiter.notify(nil)
                // Requests are carried out in the order in which they were made. This start must
                // not block, because the caller may be a handler.
                case .stopping: state.queuedStarts.append(waiter)
                case .starting: state.startWaiters.append(waiter)
                case .reset:
                    state.mailbox?.post(.restart)
                    begin(&state, waiter)
                case .stopped:
                    state.mailbox = try serve(at: identity)
                    state.previewReason = nil
                    begin(&state, waiter)
                    introduce(state)
                }
            }
        } catch {
            waiter.notify(error)
        }
    }

    /// Sends the app's settings to a new board thread.
    func introduce(_ state: EngineState) {
        coils?.setMuted(state.isMuted)
        if state.isMuted { state.mailbox?.post(.mute(true)) }
        state.mailbox?.post(.shutDown(afterIdle: state.idleTimeout))
        if let logger = state.logger { state.mailbox?.post(.log(logger)) }
    }

    private func begin(_ state: inout EngineState, _ waiter: Waiter) {
        state.run = .starting
        state.runNumber += 1
        state.isShutDown = false
        (state.stopReason, state.failure) = (nil, nil)
        state.startWaiters.append(waiter)
    }

    /// Removes a waiter and notifies the waiter with an error. A start that no other caller is
    /// waiting for is abandoned.
    func cancel(_ waiter: Waiter, because error: any Error = CancellationError()) {
        change { state in
            let waited = state.startWaiters.count + state.queuedStarts.count
            state.discarded += [state.startWaiters, state.queuedStarts]
            state.startWaiters.removeAll { $0.number == waiter.number }
            state.queuedStarts.removeAll { $0.number == waiter.number }
            guard state.startWaiters.count + state.queuedStarts.count < waited else { return }
            waiter.notify(error)
            if state.run == .starting, state.startWaiters.isEmpty, let mailbox = state.mailbox {
                stop(mailbox, &state, because: nil)
            }
        }
    }

    // MARK: Stopping

    /// Stops the engine and brings the board to rest. The handler is called when the board is at
    /// rest, or immediately if the engine is not running.
    func stop(_ handler: Handler<HapticEngine.CompletionHandler>?) {
        change { state in
            state.absence = nil
            guard let mailbox = state.mailbox else {
                if let handler { callbacks.async { handler.call(nil) } }
                return
            }
            if let handler { state.stopHandlers.append(handler) }
            stop(mailbox, &state, because: nil)
        }
    }

    func stop(
        _ mailbox: EngineMailbox, _ state: inout EngineState,
        because reason: HapticEngine.StoppedReason?
    ) {
        guard state.run != .stopping else { return }
        let isConnecting = state.run == .starting && BoardThread.withdraw(mailbox)
        state.run = .stopping
        state.stopReason = reason
        state.isShutDown = reason == .idleTimeout
        if isConnecting {
            end(&state, nil, because: nil)
        } else {
            mailbox.post(.stop)
        }
    }

    /// Ends the engine after the app has released it and all its players.
    func destroy() {
        change { state in
            (state.isDestroyed, state.absence) = (true, nil)
            let handler = state.stoppedHandler
            state.discarded.append(handler)
            state.discarded.append(state.resetHandler)
            state.discarded.append(state.faultsHandler)
            (state.stoppedHandler, state.resetHandler) = (Handler { _ in }, Handler {})
            state.faultsHandler = Handler { _ in }
            if state.run == .running {
                post(.stopped(.engineDestroyed), state)
                callbacks.async { handler.call(.engineDestroyed) }
            }
            endEvents(&state)
            if let mailbox = state.mailbox { stop(mailbox, &state, because: nil) }
        }
    }

    // MARK: Reports

    /// Handles a report from the board's thread. This method is called on that thread.
    func handle(_ report: EngineReport, from mailbox: EngineMailbox) {
        let queuedStarts = change { state in
            guard state.mailbox === mailbox else { return [] as [Waiter] }
            apply(report, from: mailbox, &state)
            return state.run == .stopped ? state.removeAll(\.queuedStarts) : []
        }
        for waiter in queuedStarts { join(waiter) }
    }

    private func apply(
        _ report: EngineReport, from mailbox: EngineMailbox, _ state: inout EngineState
    ) {
        switch report {
        case .connected(let endpoint):
            state.endpoint = endpoint
            log(.debug, "the board is at \(endpoint.path)", state)
        case .started(let board):
            state.board = board
            state.profile = DeviceProfile(of: board?.configurations ?? []) ?? .reference
            started(&state)
        case .finished(let players): finish(players, &state, nil)
        case .failed(let error) where canPreview(insteadOf: error, state):
            preview(&state, because: error)
        case .reset: boardWasReset(&state)
        case .failed(let error):
            log(.warning, "the engine does not start: \(error)", state)
            end(&state, error, because: nil)
        case .lost(let error) where state.run == .stopping: end(&state, error, because: nil)
        case .lost(let error):
            post(.boardLost(error), state)
            end(&state, error, because: .systemError)
            awaitBoard(&state)
        case .suspended(let error):
            end(&state, error, because: .applicationSuspended)
            awaitBoard(&state)
        case .measured(let statistics): state.statistics = statistics
        case .unshared(let reason): post(.unshared(reason), state)
        case .faults(let faults):
            guard let board = state.board else { break }
            let error = HapticError(faults, of: nil, .interruption, on: board.welcome)
            post(.faults(error), state)
            callbacks.async { [handler = state.faultsHandler] in handler.call(error) }
        case .idle where state.run == .running && state.active.isEmpty:
            stop(mailbox, &state, because: .idleTimeout)
        case .idle, .surveyed, .frames: break
        case .stopped: end(&state, nil, because: state.stopReason)
        }
    }

    private func started(_ state: inout EngineState) {
        if state.run == .starting {
            (state.run, state.absence) = (.running, nil)
            openSound(state)
            post(.started, state)
        }
        finishStart(&state, nil)
    }

    private func boardWasReset(_ state: inout EngineState) {
        let error = HapticError.boardWasReset
        // If the engine is already being restarted, the restart continues.
        if state.run == .running { state.run = .reset }
        state.resets += 1
        state.sounds = [:]
        forgetVoices()
        post(.reset, state)
        finish(Array(state.active), &state, error)
        callbacks.async { [handler = state.resetHandler] in handler.call() }
    }

    private func finishStart(_ state: inout EngineState, _ error: HapticError?) {
        for waiter in state.removeAll(\.startWaiters) { waiter.notify(error) }
    }

    func end(
        _ state: inout EngineState, _ error: HapticError?,
        because reason: HapticEngine.StoppedReason?
    ) {
        let hasStarted = state.run != .starting
        state.isShutDown = reason == .idleTimeout
        (state.run, state.failure) = (.stopped, error)
        state.mailbox = nil
        forgetVoices()
        sound.close()
        coils?.close()
        finishStart(&state, error ?? HapticError(.serverInterrupted, "the engine was stopped"))
        finish(Array(state.active), &state, error)
        if hasStarted { post(.stopped(reason), state) }
        for handler in state.removeAll(\.stopHandlers) { callbacks.async { handler.call(nil) } }
        if let reason, hasStarted {
            callbacks.async { [handler = state.stoppedHandler] in handler.call(reason) }
        }
    }
}
