// PlayerVoice+Operations: the operations of a player on its voice.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The operations of a player. Each operation takes effect at an engine time that is not before the
/// player's cursor.
extension PlayerVoice {
    /// Starts playback at a given time, from an offset of the pattern. Starts and stops that were
    /// requested for other times remain scheduled.
    package mutating func start(at time: HostTime, from position: Microseconds = 0) {
        let change = Change(time: time, kind: .start(from: position))
        guard time > cursor else { return carryOut(change) }
        let index = changes.firstIndex { $0.time > time } ?? changes.endIndex
        changes.insert(change, at: index)
    }

    /// Ends the player at a given time. Removes the starts and stops that were scheduled for later
    /// times, and an earlier stop if the new stop postpones it.
    package mutating func stop(at time: HostTime) {
        changes.removeAll { $0.time > time }
        guard time > cursor else {
            changes = []
            return finish(at: cursor)
        }
        if let last = changes.last, !last.isStart { changes.removeLast() }
        changes.append(Change(time: time, kind: .stop))
    }

    /// Carries out a scheduled change at the cursor.
    mutating func carryOut(_ change: Change) {
        switch change.kind {
        case .stop: finish(at: change.time)
        case .start(let position):
            settle()
            begin(clock(from: cursor, reachable(position) ?? 0), .over)
            if reachable(position) == nil { finish(at: cursor) }
        }
    }

    /// Returns the pattern time at which playback from an offset begins; nil if the offset is
    /// beyond the end. If the offset is beyond the end of a loop, the loop restarts.
    private func reachable(_ offset: Microseconds) -> Microseconds? {
        if isLooping { return offset < passLength ? offset : 0 }
        return offset == 0 || offset < inner.end ?? .max ? offset : nil
    }

    mutating func finish(at time: HostTime) {
        guard isPlaying || isPaused else { return }
        state = .idle
        endedAt = time
    }

    /// Stops immediately, and discards the parameters that have not taken effect.
    package mutating func cancel() {
        stop(at: cursor)
        controls.cancel(after: cursor)
    }

    package mutating func pause() {
        guard isPlaying else { return }
        let position = max(clock.pattern, clock.pattern(at: cursor))
        settle()
        state = .paused(position)
    }

    package mutating func resume(at time: HostTime) {
        guard case .paused(let position) = state else { return }
        settle()
        begin(clock(from: time, position), .on)
    }

    /// Continues at an offset of the pattern. A player that is waiting for its start will begin at
    /// the offset. If the offset is beyond the end, a loop restarts, and any other player ends.
    package mutating func seek(to offset: Microseconds) {
        if case .idle = state {
            guard let next = changes.firstIndex(where: \.isStart) else { return }
            changes[next].kind = .start(from: offset)
            return
        }
        guard let position = reachable(offset) else { return finish(at: cursor) }
        if isPaused {
            state = .paused(position)
        } else {
            settle()
            begin(clock(from: max(cursor, clock.engine), position), .over)
        }
    }

    /// Sets the playback rate from the cursor on.
    ///
    /// - Parameter rate: a rate within `PlayerClock.rates`.
    package mutating func setRate(_ rate: Double) {
        guard isPlaying, clock.engine < cursor else {
            clock.rate = rate
            return rebuild()
        }
        let position = clock.pattern(at: cursor)
        settle()
        begin(PlayerClock(engine: cursor, pattern: position, rate: rate), .on)
    }

    /// Starts or ends the repetition of the pattern from its beginning to the pattern time `end`,
    /// or to the end of the pattern if `end` is 0.
    package mutating func setLoop(_ isEnabled: Bool, end: Microseconds) {
        isLooping = isEnabled
        loopEnd = end > 0 ? end : pattern.length
        guard isLooping, isPlaying, clock.pattern(at: cursor) >= passLength else { return }
        seek(to: 0)
    }

    /// Adds parameters. Each parameter takes effect at its own time after `time`.
    package mutating func send(_ parameters: [HapticDynamicParameter], at time: HostTime) {
        settle()
        controls.send(parameters, at: time)
        controls.apply(to: &inner, with: ownControls, clock)
    }

    /// Adds a curve that starts at a given time.
    package mutating func schedule(_ curve: HapticParameterCurve, at time: HostTime) {
        settle()
        controls.schedule(curve, at: time)
        controls.apply(to: &inner, with: ownControls, clock)
    }

    mutating func begin(_ next: PlayerClock, _ beginning: Beginning) {
        clock = next
        state = .playing
        self.beginning = beginning
        rebuild()
    }

    /// Starts the clock if its start is due. All controls that were sent before the start take
    /// effect.
    mutating func beginIfDue() {
        guard let beginning else { return }
        self.beginning = nil
        switch beginning {
        case .over: controls.startOver(at: clock.engine, from: clock.pattern)
        case .on: controls.settle(at: clock.engine) { [clock] _ in clock.pattern }
        }
        rebuild()
    }

    /// Fixes the pattern time of every control that has taken effect up to the cursor.
    private mutating func settle() {
        if case .paused(let position) = state {
            controls.settle(at: cursor) { _ in position }
        } else {
            controls.settle(at: cursor) { [clock] time in
                max(clock.pattern, clock.pattern(at: time))
            }
        }
    }

    /// Moves the inner voice to the clock's position, with the current controls.
    private mutating func rebuild() {
        inner = unplayed
        controls.apply(to: &inner, with: ownControls, clock)
        guard isPlaying else { return }
        let position = clock.firstPattern(at: max(cursor, clock.engine))
        if position > 0 { inner.skip(to: position) }
    }
}
