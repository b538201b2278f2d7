// TimedVoices: the players of an engine as the app commands them, whatever plays them. No I/O and
// no clock.

import BridgeLink

/// A player's voice that plays by host time.
protocol TimedVoice: Sendable {
    /// The player's voice.
    var voice: PlayerVoice { get }

    /// Makes a voice that has not played anything by `now`.
    init(_ voice: PlayerVoice, at now: HostTime)

    /// Plays up to a time that is not before the present one.
    mutating func play(to now: HostTime)

    /// Carries out a command at the time up to which the voice has played.
    mutating func carryOut(_ command: PlayerCommand)
}

/// Plays the voices of an engine by host time.
///
/// Commands take effect at their time, or at once; a board takes some milliseconds more.
struct TimedVoices<Played: TimedVoice>: Sendable {
    private(set) var players: [PlayerID: Played] = [:]
    /// The players that were started and whose end has not been taken.
    private var running: Set<PlayerID> = []
    /// The players that can no longer be given commands. They are removed when they are over.
    private var abandoned: Set<PlayerID> = []
    /// The commands that wait for their time, sorted by it.
    private var commands: [TimedCommand] = []
    /// The time up to which everything has been played.
    private var time: HostTime = 0

    /// Whether anything is playing or about to play.
    var isBusy: Bool { !running.isEmpty || !commands.isEmpty }

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
        for id in players.keys { players[id]!.play(to: now) }
        abandoned = abandoned.filter { id in
            guard !running.contains(id) else { return true }
            players[id] = nil
            return false
        }
    }

    private mutating func carryOut(_ timed: TimedCommand) {
        let id = timed.player
        switch timed.command {
        case .add(let voice): players[id] = Played(voice, at: time)
        case .abandon where !running.contains(id): players[id] = nil
        case .abandon: abandoned.insert(id)
        case .start where players[id] != nil: running.insert(id)
        default: break
        }
        players[id]?.carryOut(timed.command)
        // Nobody could end the player any more, so it is over.
        if abandoned.contains(id), let player = players[id], player.voice.finishTime == nil {
            players[id] = nil
        }
    }

    // MARK: Ends

    /// Returns the players that are over, among those that were started, each once.
    mutating func takeFinished() -> [PlayerID] {
        let finished = running.filter { id in
            guard let player = players[id] else { return true }
            return player.voice.finishTime.map { $0 <= time } ?? false
        }
        running.subtract(finished)
        return finished.sorted { $0.number < $1.number }
    }

    /// The time at which a player is over or a command is due; nil if there is none.
    var nextDeadline: HostTime? {
        (running.compactMap { players[$0]?.voice.finishTime } + commands.prefix(1).map(\.due)).min()
    }

    /// Changes a player's voice, if there is one.
    mutating func change(_ player: PlayerID, _ body: (inout Played) -> Void) {
        if players[player] != nil { body(&players[player]!) }
    }
}
