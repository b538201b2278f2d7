// TimedVoices: the players of an engine as the app commands them, whatever plays them. No I/O and
// no clock.

import BoardEngine
import BridgeLink

/// A player's voice that plays by host time.
protocol TimedVoice: Sendable {
    /// The player's voice.
    var voice: PlayerVoice { get }

    /// True if nothing more comes of what the voice has played.
    var isQuiet: Bool { get }

    /// Makes a voice that has not played anything by `now`.
    init(_ voice: PlayerVoice, at now: HostTime)

    /// Plays up to a time that is not before the present one.
    mutating func play(to now: HostTime)

    /// Carries out a command at the time up to which the voice has played.
    mutating func carryOut(_ command: PlayerCommand)
}

/// Plays the voices of an engine by host time.
///
/// Commands take effect at their time, or at once; a board takes some milliseconds more. A command
/// and the passing of time cost in proportion to the players that play, however many there are.
struct TimedVoices<Played: TimedVoice>: Sendable {
    private(set) var players: [PlayerID: Played] = [:]
    /// The players that were started, until they are over and quiet.
    private(set) var active: Set<PlayerID> = []
    /// The players that can no longer be given commands. They are removed with their activity.
    private var abandoned: Set<PlayerID> = []
    /// The commands that wait for their time, sorted by it.
    private var commands: [TimedCommand] = []
    /// The time up to which everything has been played.
    private var time: HostTime = 0

    /// The time at which the next command takes effect; nil if none waits.
    var nextCommand: HostTime? { commands.first?.due }

    /// Accepts a command. Successive calls must not go back in time.
    mutating func perform(_ command: PlayerCommand, of player: PlayerID, at now: HostTime) {
        advance(to: now)
        switch command {
        case .stop(let time):
            // Commands that were scheduled after the player's end are not meant for its next start.
            commands.removeAll { $0.player == player && $0.due >= time }
        case .cancel: commands.removeAll { $0.player == player }
        default: break
        }
        let timed = TimedCommand(player: player, command: command)
        guard timed.due > time else { return carryOut(timed) }
        let index = commands.firstIndex { $0.due > timed.due } ?? commands.endIndex
        commands.insert(timed, at: index)
    }

    /// Plays up to a time. An earlier time than the present one changes nothing.
    mutating func advance(to now: HostTime) {
        while let first = commands.first, first.due <= now {
            commands.removeFirst()
            play(to: first.due)
            carryOut(first)
        }
        play(to: now)
    }

    /// Plays what was commanded until now up to a time.
    mutating func play(to now: HostTime) {
        guard now > time else { return }
        time = now
        for id in active {
            change(id) { $0.play(to: now) }
            if isOver(id) { deactivate(id) }
        }
    }

    /// Returns whether a player is over, the tap at its very end included, and quiet.
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
        // Nobody could end the player any more, so it is over.
        if abandoned.contains(id), players[id]?.voice.finishTime == nil { deactivate(id) }
    }

    /// These voices without the players that are at rest.
    var withoutIdle: Self {
        var voices = self
        voices.players = Dictionary(
            uniqueKeysWithValues: active.compactMap { id in players[id].map { (id, $0) } })
        return voices
    }

    /// Changes a player's voice, if there is one.
    mutating func change(_ player: PlayerID, _ body: (inout Played) -> Void) {
        guard let index = players.index(forKey: player) else { return }
        body(&players.values[index])
    }
}
