// TimedVoices: the players of an engine with the commands of the app, independent of the output.
// TimedVoices performs no I/O and has no clock.

import BridgeLink

/// A player's voice that advances by host time.
package protocol TimedVoice: Sendable {
    /// The player's voice.
    var voice: PlayerVoice { get }

    /// True if the output of the voice has decayed completely.
    var isQuiet: Bool { get }

    /// Creates a voice that has not played anything by `now`.
    init(_ voice: PlayerVoice, at now: HostTime)

    /// Advances the voice to a time that is not before the voice's current time.
    mutating func play(to now: HostTime)

    /// Carries out a command at the current time of the voice.
    mutating func carryOut(_ command: PlayerCommand)
}

/// Advances the voices of an engine by host time.
///
/// A command takes effect at its time, or immediately if that time has passed; on a board, it takes
/// effect a few milliseconds later. The cost of a command or an advance is proportional to the
/// number of active players, not to the number of all players.
package struct TimedVoices<Played: TimedVoice>: Sendable {
    package private(set) var players: [PlayerID: Played] = [:]
    /// The players that were started and that have not ended, or that have ended but are not yet
    /// quiet.
    package private(set) var active: Set<PlayerID> = []
    /// The players to which no more commands can be sent. Such players are removed when they become
    /// inactive.
    private var abandoned: Set<PlayerID> = []
    /// The commands that wait for their time, sorted by time.
    private var commands: [TimedCommand] = []
    /// The time to which all voices have advanced.
    private var time: HostTime = 0

    package init() {}

    /// The time at which the next command takes effect; nil if no command waits.
    package var nextCommand: HostTime? { commands.first?.due }

    /// Queues a command. The times of successive calls must not decrease.
    package mutating func perform(_ command: PlayerCommand, of player: PlayerID, at now: HostTime) {
        advance(to: now)
        switch command {
        case .stop(let time):
            // Commands that were scheduled after the player's end do not apply to its next start.
            commands.removeAll { $0.player == player && $0.due >= time }
        case .cancel: commands.removeAll { $0.player == player }
        default: break
        }
        let timed = TimedCommand(player: player, command: command)
        guard timed.due > time else { return carryOut(timed) }
        let index = commands.firstIndex { $0.due > timed.due } ?? commands.endIndex
        commands.insert(timed, at: index)
    }

    /// Carries out the queued commands up to a time, and advances to that time. A time before the
    /// current time has no effect.
    package mutating func advance(to now: HostTime) {
        while let first = commands.first, first.due <= now {
            commands.removeFirst()
            play(to: first.due)
            carryOut(first)
        }
        play(to: now)
    }

    /// Advances the active voices to a time without carrying out queued commands. A time before the
    /// current time has no effect.
    package mutating func play(to now: HostTime) {
        guard now > time else { return }
        time = now
        for id in active {
            change(id) { $0.play(to: now) }
            if isOver(id) { deactivate(id) }
        }
    }

    /// Returns whether a player, including a tap at the very end of its pattern, has ended and is
    /// quiet.
    private func isOver(_ id: PlayerID) -> Bool {
        guard let player = players[id] else { return true }
        return player.voice.finishTime.map { $0 < time } == true && player.isQuiet
    }

    private mutating func deactivate(_ id: PlayerID) {
        active.remove(id)
        if abandoned.remove(id) != nil { remove(id) }
    }

    private mutating func remove(_ id: PlayerID) {
        players[id] = nil
        commands.removeAll { $0.player == id }
    }

    private mutating func carryOut(_ timed: TimedCommand) {
        let id = timed.player
        if case .add(let voice) = timed.command { players[id] = Played(voice, at: time) }
        guard players[id] != nil else { return }
        switch timed.command {
        case .abandon where !active.contains(id): return remove(id)
        case .abandon: abandoned.insert(id)
        case .start: active.insert(id)
        default: break
        }
        change(id) { [time] player in
            player.play(to: time)
            player.carryOut(timed.command)
        }
        // No later command could end this player, so the player is removed.
        if abandoned.contains(id), players[id]?.voice.finishTime == nil { deactivate(id) }
    }

    /// A copy of these voices without inactive players.
    package var withoutIdle: Self {
        var voices = self
        voices.players = Dictionary(
            uniqueKeysWithValues: active.compactMap { id in players[id].map { (id, $0) } })
        return voices
    }

    /// Changes a player's voice, if there is one.
    package mutating func change(_ player: PlayerID, _ body: (inout Played) -> Void) {
        guard let index = players.index(forKey: player) else { return }
        body(&players.values[index])
    }
}
