// The engines that share a live stream: each has its own players, and may be muted or leave alone.

import BridgeLink
import HapticCompiler

extension LiveStream {
    /// Makes the stream of some of the actuators of another stream, with the same players.
    ///
    /// - Parameters:
    ///   - other: the stream whose actuators are divided.
    ///   - stream: the number of the new stream.
    ///   - actuators: the actuators that play it.
    ///   - memory: its event memory, in bytes.
    ///   - profile: the profile for which it is compiled.
    ///   - kind: the kind of the board.
    init(
        dividing other: LiveStream, stream: UInt8, actuators: ActuatorMask, memory: UInt16,
        profile: DeviceProfile, on kind: BoardKind
    ) {
        self.init(
            stream: stream, actuators: actuators, memory: memory, profile: profile, on: kind)
        (players, running, abandoned) = (other.players, other.running, other.abandoned)
        (commands, mutedEngines) = (other.commands, other.mutedEngines)
    }

    /// Returns whether anything of an engine is playing or about to play.
    func isBusy(with engine: UInt32) -> Bool {
        isBusy { $0.engine == engine }
    }

    // MARK: Loads

    /// A limit of what a board plays for an engine. One that passes it ends.
    enum Overload {
        /// The size of all players.
        case size
        /// The commands that wait for their times in a player.
        case waiting
        /// The pauses and resumptions that wait for their times.
        case commands
        /// The entries through which a command steps.
        case command
        /// The events that play at once.
        case density

        /// The reason that the engine's program is given.
        var reason: String {
            switch self {
            case .size: "its players have more than \(loadMax) entries and control points"
            case .waiting:
                "a player has more than \(PlayerVoice.waitingMax) parameters, control points, starts and "
                    + "stops that wait for their times"
            case .commands:
                "more than \(commandsMax) pauses and resumptions wait for their times"
            case .command:
                "a command changes a player that has too much for that: \(commandMax) parameters and control "
                    + "points, of which an event counts as 6 if its envelope changes"
            case .density:
                "more than \(EngineVoices.densityMax) players, events and control points play within "
                    + "\(PatternVoice.densityTime / 1_000) ms"
            }
        }
    }

    /// The greatest number of entries and control points in the players of an engine, of which each counts as
    /// ``playerLoad`` in addition.
    static let loadMax = 1_000_000
    private static let playerLoad = 50
    /// The greatest number of commands of an engine that wait for their time.
    private static let commandsMax = 10_000

    /// The number of commands of an engine that wait for the line.
    func waitingCommands(of engine: UInt32) -> Int {
        commands.prefix { $0.due == 0 }.count { $0.player.engine == engine }
    }

    /// Returns whether as many commands of an engine wait as may.
    func isFull(of engine: UInt32) -> Bool {
        commands.count >= Self.commandsMax
            && commands.count { $0.player.engine == engine } >= Self.commandsMax
    }

    /// Counts a player that is added.
    mutating func load(_ voice: PlayerVoice, of engine: UInt32) {
        if voice.isTooDense { overloads[engine] = .density }
        loads[engine, default: 0] += Self.playerLoad + voice.patternSize
        guard loads[engine]! > Self.loadMax else { return }
        // Some of those that were counted are gone.
        loads[engine] = players.lazy.filter { $0.key.engine == engine }
            .reduce(0) { $0 + Self.playerLoad + $1.value.patternSize }
        if loads[engine]! > Self.loadMax { overloads[engine] = .size }
    }

    /// Mutes or unmutes an engine. Its players continue without being felt.
    mutating func setMuted(_ engine: UInt32, _ isMuted: Bool) {
        guard mutedEngines.contains(engine) != isMuted else { return }
        mutedEngines.formSymmetricDifference([engine])
        if running.contains(where: { $0.engine == engine }) { isStale = true }
    }

    /// Ends all players of an engine, and forgets them. Those of other engines go on.
    mutating func remove(_ engine: UInt32) {
        if running.contains(where: { $0.engine == engine }) { isStale = true }
        players = players.filter { $0.key.engine != engine }
        running = running.filter { $0.engine != engine }
        abandoned = abandoned.filter { $0.engine != engine }
        commands.removeAll { $0.player.engine == engine }
        mutedEngines.remove(engine)
        (overloads[engine], loads[engine]) = (nil, nil)
    }

    /// Ends all players, which may be started again, and opens the stream again after a STOP, which
    /// has closed it. A start that still waited for the line counts as one that has ended.
    mutating func stopAll(_ session: inout LinkSession, at now: HostTime) {
        let time = max(now, segment?.start ?? now)
        for waiting in commands {
            players[waiting.player]?.advance(to: time)
            carryOut(waiting.command, of: waiting.player, at: time)
        }
        commands = []
        for id in running { players[id]?.cancel() }
        openings = 0
        begin(&session, at: now)
        isStale = false
    }

    /// Returns whether the board plays what was last decided here.
    func isUpToDate(at now: HostTime) -> Bool {
        !isStale && (segment.map { $0.start + Self.begun <= now } ?? true)
    }

    /// The time after its start within which a board has certainly begun a segment that arrived in
    /// time, in microseconds.
    private static let begun: Microseconds = 1_000
}
