// EngineCore: an engine without its owner. Its board's thread knows it until it is at rest, so that
// whoever waits for that is told also when the app has let go of the engine.

import AHAP
import BridgeLink
import Dispatch

/// What an engine does, from its start to its stop.
final class EngineCore: Sendable {
    let device: HapticDevice
    let locality: HapticLocality
    /// Whether it stops where another engine of the program is started on its board.
    let givesWay: Bool
    let state = Guarded(EngineState())
    /// Handlers are called here.
    let callbacks = DispatchQueue(label: "haptic-bridge.callbacks")

    init(device: HapticDevice, locality: HapticLocality, givesWay: Bool) {
        self.device = device
        self.locality = locality
        self.givesWay = givesWay
    }

    /// Changes the state. What it lets go of is released behind the handlers that are due: that may
    /// run code of the app, which may call the engine.
    func change<Result>(_ body: (inout EngineState) throws -> Result) rethrows -> Result {
        var discarded: [any Sendable] = []
        defer { if !discarded.isEmpty { release(&discarded) } }
        return try state.withLock { state in
            defer { swap(&discarded, &state.discarded) }
            return try body(&state)
        }
    }

    private func release(_ items: inout [any Sendable]) {
        let last = Guarded(items)
        items = []
        callbacks.async { _ = last.exchange([]) }
    }

    /// Whether patterns play at once.
    var isRunning: Bool { state.withLock { $0.run == .running } }

    // MARK: Starting

    /// Starts, and waits for it.
    func start() throws {
        let isTold = DispatchSemaphore(value: 0)
        let failure = Guarded<(any Error)?>(nil)
        join(
            waiter { error in
                failure.withLock { $0 = error }
                isTold.signal()
            })
        isTold.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// - Parameter absence: that of the board that its start is to end; nil for one that the app
    ///   asked for.
    func waiter(
        endOf absence: Int? = nil, _ tell: @escaping @Sendable ((any Error)?) -> Void
    ) -> Waiter {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return Waiter(number: number, absence: absence, tell: tell)
    }

    /// Begins a start, or joins one; the waiter is told at once if the engine runs.
    func join(_ waiter: Waiter) {
        if isRunning { return waiter.tell(nil) }
        // Looks at the file system, which takes its time.
        let identity = device.identity()
        do {
            try change { state in
                guard !state.isDestroyed else {
                    throw HapticError(.serverInterrupted, "the engine was released")
                }
                if let absence = waiter.absence, absence != state.absence {
                    throw CancellationError()
                }
                switch state.run {
                case .running: waiter.tell(nil)
                // What was asked for first is done first. Whoever waits may be a handler itself.
                case .stopping: state.queuedStarts.append(waiter)
                case .starting: state.startWaiters.append(waiter)
                case .reset:
                    state.mailbox?.post(.restart)
                    begin(&state, waiter)
                case .stopped:
                    let mailbox = try BoardLoop.serve(self, at: identity)
                    state.mailbox = mailbox
                    begin(&state, waiter)
                    if state.isMuted { mailbox.post(.mute(true)) }
                    mailbox.post(.shutDown(afterIdle: state.idleTimeout))
                    if let logger = state.logger { mailbox.post(.log(logger)) }
                }
            }
        } catch {
            waiter.tell(error)
        }
    }

    private func begin(_ state: inout EngineState, _ waiter: Waiter) {
        state.run = .starting
        state.runNumber += 1
        state.isShutDown = false
        state.stopReason = nil
        state.startWaiters.append(waiter)
    }

    /// Someone waits no longer. A start for which nobody waits any more is given up.
    func cancel(_ waiter: Waiter) {
        change { state in
            let waited = state.startWaiters.count + state.queuedStarts.count
            state.discarded += [state.startWaiters, state.queuedStarts]
            state.startWaiters.removeAll { $0.number == waiter.number }
            state.queuedStarts.removeAll { $0.number == waiter.number }
            guard state.startWaiters.count + state.queuedStarts.count < waited else { return }
            waiter.tell(CancellationError())
            if state.run == .starting, state.startWaiters.isEmpty, let mailbox = state.mailbox {
                stop(mailbox, &state, because: nil)
            }
        }
    }

    // MARK: Stopping

    /// Brings everything to rest; the handler is called once that is so, or at once.
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

    private func stop(
        _ mailbox: EngineMailbox, _ state: inout EngineState,
        because reason: HapticEngine.StoppedReason?
    ) {
        guard state.run != .stopping else { return }
        let isConnecting = state.run == .starting && BoardLoop.withdraw(mailbox)
        state.run = .stopping
        state.stopReason = reason
        state.isShutDown = reason == .idleTimeout
        if isConnecting {
            end(&state, nil, because: nil)
        } else {
            mailbox.post(.stop)
        }
    }

    /// The app has let go of the engine, and of all its players.
    func destroy() {
        change { state in
            (state.isDestroyed, state.absence) = (true, nil)
            let handler = state.stoppedHandler
            state.discarded.append(handler)
            state.discarded.append(state.resetHandler)
            (state.stoppedHandler, state.resetHandler) = (Handler { _ in }, Handler {})
            if state.run == .running {
                tell(.stopped(.engineDestroyed), state)
                callbacks.async { handler.call(.engineDestroyed) }
            }
            endEvents(&state)
            if let mailbox = state.mailbox { stop(mailbox, &state, because: nil) }
        }
    }

    // MARK: Reports

    /// Called on the board's thread.
    func take(_ report: EngineReport, from mailbox: EngineMailbox) {
        let queuedStarts = change { state in
            guard state.mailbox === mailbox else { return [] as [Waiter] }
            note(report, from: mailbox, &state)
            return state.run == .stopped ? state.take(\.queuedStarts) : []
        }
        for waiter in queuedStarts { join(waiter) }
    }

    private func note(
        _ report: EngineReport, from mailbox: EngineMailbox, _ state: inout EngineState
    ) {
        switch report {
        case .connected(let place):
            state.place = place
            log(.debug, "the board is at \(place.path)", state)
        case .started: started(&state)
        case .finished(let players): finish(players, &state, nil)
        case .reset: boardWasReset(&state)
        case .failed(let error):
            log(.warning, "the engine does not start: \(error)", state)
            end(&state, error, because: nil)
        case .lost(let error) where state.run == .stopping: end(&state, error, because: nil)
        case .lost(let error):
            tell(.boardLost(error), state)
            end(&state, error, because: .systemError)
            awaitBoard(&state)
        case .measured(let statistics): state.statistics = statistics
        case .faults(let faults): tell(.faults(faults), state)
        case .idle where state.run == .running && state.active.isEmpty:
            stop(mailbox, &state, because: .idleTimeout)
        case .idle, .surveyed: break
        case .outranked: stop(mailbox, &state, because: nil)
        case .stopped: end(&state, nil, because: state.stopReason)
        }
    }

    private func started(_ state: inout EngineState) {
        if state.run == .starting {
            (state.run, state.absence) = (.running, nil)
            tell(.started, state)
        }
        finishStart(&state, nil)
    }

    private func boardWasReset(_ state: inout EngineState) {
        let error = HapticError(.serverInterrupted, "the board was reset")
        // One that is being started again goes on to be.
        if state.run == .running { state.run = .reset }
        state.resets += 1
        state.sounds = [:]
        tell(.reset, state)
        finish(Array(state.active), &state, error)
        callbacks.async { [handler = state.resetHandler] in handler.call() }
    }

    private func finishStart(_ state: inout EngineState, _ error: HapticError?) {
        for waiter in state.take(\.startWaiters) { waiter.tell(error) }
    }

    private func end(
        _ state: inout EngineState, _ error: HapticError?,
        because reason: HapticEngine.StoppedReason?
    ) {
        let hasStarted = state.run != .starting
        state.isShutDown = reason == .idleTimeout
        state.run = .stopped
        state.mailbox = nil
        finishStart(&state, error ?? HapticError(.serverInterrupted, "the engine was stopped"))
        finish(Array(state.active), &state, error)
        if hasStarted { tell(.stopped(reason), state) }
        for handler in state.take(\.stopHandlers) { callbacks.async { handler.call(nil) } }
        if let reason, hasStarted {
            callbacks.async { [handler = state.stoppedHandler] in handler.call(reason) }
        }
    }

    // MARK: Players

    private func finish(
        _ players: [PlayerID], _ state: inout EngineState, _ error: HapticError?
    ) {
        for player in players {
            state.active.remove(player)
            if let handler = state.completionHandlers[player] {
                callbacks.async { handler.call(error) }
            }
            for waiter in state.endWaiters.removeValue(forKey: player) ?? [] {
                state.discard(waiter)
                waiter.tell(error)
            }
            if state.released.remove(player) != nil { forget(player, &state) }
        }
        if state.active.isEmpty { callFinishedHandlers(&state, error) }
    }

    private func forget(_ player: PlayerID, _ state: inout EngineState) {
        if let handler = state.completionHandlers.removeValue(forKey: player) {
            state.discarded.append(handler)
        }
    }

    func callFinishedHandlers(_ state: inout EngineState, _ error: HapticError?) {
        for handler in state.take(\.finishedHandlers) {
            callbacks.async { [self] in
                guard handler.call(error) == .stopEngine else { return }
                change { state in
                    guard let mailbox = state.mailbox, state.run == .running else { return }
                    stop(mailbox, &state, because: .notifyWhenFinished)
                }
            }
        }
    }

    func completionHandler(
        of player: PlayerID
    ) -> Handler<HapticAdvancedPatternPlayerCompletionHandler>? {
        state.withLock { $0.completionHandlers[player] }
    }

    func setCompletionHandler(
        _ handler: Handler<HapticAdvancedPatternPlayerCompletionHandler>, of player: PlayerID
    ) {
        change { state in
            forget(player, &state)
            state.completionHandlers[player] = handler
        }
    }

    /// Tells a waiter of a player's end, or at once if that does not play.
    func join(_ waiter: Waiter, untilEndOf player: PlayerID) {
        change { state in
            guard state.active.contains(player) else { return waiter.tell(nil) }
            state.endWaiters[player, default: []].append(waiter)
        }
    }

    /// Someone waits no longer for a player's end.
    func cancel(_ waiter: Waiter, untilEndOf player: PlayerID) {
        change { state in
            let waiters = state.endWaiters[player] ?? []
            guard waiters.contains(where: { $0.number == waiter.number }) else { return }
            state.discard(waiters)
            let others = waiters.filter { $0.number != waiter.number }
            state.endWaiters[player] = others.isEmpty ? nil : others
            waiter.tell(CancellationError())
        }
    }

    /// The app has let go of a player.
    func release(_ player: PlayerID) {
        change { state in
            if state.active.contains(player) {
                state.released.insert(player)
            } else {
                forget(player, &state)
            }
            state.mailbox?.post(.perform(.abandon, player))
        }
    }

    /// The run in which players can be told something now.
    ///
    /// - Parameter resets: those that the player knows of.
    func presentRun(ofPlayerSince resets: Int) throws -> Int {
        try state.withLock { state in
            guard state.resets == resets else {
                throw HapticError(
                    .invalidPatternPlayer, "the board was reset since; make a new player")
            }
            guard state.run == .running else {
                throw HapticError(.engineNotRunning, "the engine is not running; start it first")
            }
            return state.runNumber
        }
    }

    /// Passes commands on to a player's side on the board. Returns whether that run is still on.
    @discardableResult
    func pass(_ commands: [PlayerCommand], to player: PlayerID, inRun run: Int) -> Bool {
        state.withLock { state in
            guard state.run == .running, state.runNumber == run, let mailbox = state.mailbox else {
                return false
            }
            for command in commands {
                if case .start = command { state.active.insert(player) }
                mailbox.post(.perform(command, player))
            }
            return true
        }
    }
}
