// The players of an engine: their ends, their handlers and their commands.

import BoardEngine
import BridgeLink
import HapticBoards
import SerialPorts

extension EngineCore {
    /// Ends players, calls their handlers, and notifies the callers that wait for their end.
    func finish(
        _ players: [PlayerID], _ state: inout EngineState, _ error: HapticError?
    ) {
        for player in players {
            state.active.remove(player)
            if let handler = state.completionHandlers[player] {
                callbacks.async { handler.call(error) }
            }
            for waiter in state.endWaiters.removeValue(forKey: player) ?? [] {
                state.discard(waiter)
                waiter.notify(error)
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
        for handler in state.removeAll(\.finishedHandlers) {
            callbacks.async { [self] in
                guard handler.call(error) == .stopEngine else { return }
                change { state in
                    // If a player has been started in the meantime, the engine keeps running.
                    guard let mailbox = state.mailbox, state.run == .running,
                        state.active.isEmpty
                    else { return }
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

    /// Notifies a waiter when a player ends, or immediately if the player is not playing.
    func join(_ waiter: Waiter, untilEndOf player: PlayerID) {
        change { state in
            guard state.active.contains(player) else { return waiter.notify(nil) }
            state.endWaiters[player, default: []].append(waiter)
        }
    }

    /// Removes a waiter for the end of a player.
    func cancel(_ waiter: Waiter, untilEndOf player: PlayerID) {
        change { state in
            let waiters = state.endWaiters[player] ?? []
            guard waiters.contains(where: { $0.number == waiter.number }) else { return }
            state.discard(waiters)
            let others = waiters.filter { $0.number != waiter.number }
            state.endWaiters[player] = others.isEmpty ? nil : others
            waiter.notify(CancellationError())
        }
    }

    /// Records that the app has released a player.
    func release(_ player: PlayerID) {
        sound.release(player)
        change { state in
            if state.active.contains(player) {
                state.released.insert(player)
            } else {
                forget(player, &state)
            }
            state.mailbox?.post(.perform(.abandon, player))
            play([.abandon], of: player)
        }
    }

    /// Returns the number of the current run of the engine, during which the player accepts
    /// commands.
    ///
    /// - Parameter resets: the number of resets of the engine before the player was created.
    func presentRun(ofPlayerSince resets: Int) throws(HapticError) -> Int {
        try state.withLock { state throws(HapticError) in
            guard state.resets == resets else {
                throw HapticError(
                    .invalidPatternPlayer, "the board has been reset; create a new player")
            }
            guard state.run == .running else {
                throw HapticError(.engineNotRunning, "the engine is not running; start it first")
            }
            return state.runNumber
        }
    }

    /// Passes commands to the voice of a player on the board's thread. The commands take effect
    /// together. Returns whether the run is still in progress.
    ///
    /// - Parameter replaced: the players that stop when the commands take effect.
    @discardableResult
    func pass(
        _ commands: [PlayerCommand], to player: PlayerID, inRun run: Int,
        replacing replaced: [PlayerID] = []
    ) -> Bool {
        state.withLock { state in
            guard state.run == .running, state.runNumber == run, let mailbox = state.mailbox else {
                return false
            }
            for command in commands {
                if case .start = command { state.active.insert(player) }
            }
            var requests = commands.map { EngineRequest.perform($0, player) }
            requests += replaced.map { .perform(.stop(at: 0), $0) }
            mailbox.post(requests)
            play(commands, of: player)
            for other in replaced { play([.stop(at: 0)], of: other) }
            return true
        }
    }
}
