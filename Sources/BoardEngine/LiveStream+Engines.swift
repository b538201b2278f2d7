// LiveStream+Engines: the engines that play on the same live stream. Each engine has its own
// players and can be muted or removed separately.

import BridgeLink
import HapticCompiler

extension LiveStream {
    /// Creates a stream for some of the actuators of another stream, with the same players.
    ///
    /// - Parameters:
    ///   - other: the stream whose actuators are divided.
    ///   - stream: the number of the new stream.
    ///   - actuators: the actuators of the new stream.
    ///   - memory: the event memory of the new stream, in bytes.
    ///   - profile: the device profile for which the stream is compiled.
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

    /// Returns whether any player of an engine is playing or about to play.
    func isBusy(with engine: UInt32) -> Bool {
        isBusy { $0.engine == engine }
    }

    // MARK: Loads

    /// A limit on the load that one engine may impose on a board. An engine that exceeds a limit is
    /// ended.
    enum Overload {
        /// The total size of all players.
        case size
        /// The number of queued commands of a player.
        case waiting
        /// The number of queued pauses and resumptions.
        case commands
        /// The number of entries that one command processes.
        case command
        /// The density of events.
        case density

        /// The reason that is reported to the engine's program.
        var reason: String {
            switch self {
            case .size:
                "the players of the engine have more than \(loadMax) entries and control points"
            case .waiting:
                "more than \(PlayerVoice.waitingMax) parameters and control points, or "
                    + "\(PlayerVoice.changesMax) starts and stops, are scheduled for a player"
            case .commands:
                "more than \(commandsMax) pauses and resumptions are scheduled for the players of "
                    + "the engine"
            case .command:
                "one command would change more than \(commandMax) parameters and control points of "
                    + "a player; an event counts as 6 of them if its envelope changes"
            case .density:
                "more than \(EngineVoices.densityMax) players, events and control points play within "
                    + "\(PatternVoice.densityTime / 1_000) ms"
            }
        }
    }

    /// The maximum number of entries and control points in the players of an engine. In addition,
    /// each player counts as ``playerLoad`` entries.
    static let loadMax = 1_000_000
    private static let playerLoad = 50
    /// The maximum number of commands of an engine that wait for their time.
    private static let commandsMax = 500

    /// Returns the number of commands of an engine that are due but have not been sent.
    func waitingCommands(of engine: UInt32) -> Int {
        commands.prefix { $0.due == 0 }.count { $0.player.engine == engine }
    }

    /// Returns whether an engine has reached the maximum number of waiting commands.
    func isFull(of engine: UInt32) -> Bool {
        commands.count >= Self.commandsMax
            && commands.count { $0.player.engine == engine } >= Self.commandsMax
    }

    /// Adds a player to the load of its engine.
    mutating func load(_ voice: PlayerVoice, of engine: UInt32) {
        if voice.isTooDense { overloads[engine] = .density }
        loads[engine, default: 0] += Self.playerLoad + voice.patternSize
        checkLoad(of: engine)
    }

    /// Increases the load of an engine by the number of items that a command will queue.
    mutating func load(_ command: PlayerCommand, of engine: UInt32) {
        guard command.waitingSize > 0 else { return }
        loads[engine, default: 0] += command.waitingSize
        checkLoad(of: engine)
    }

    private mutating func checkLoad(of engine: UInt32) {
        guard loads[engine]! > Self.loadMax else { return }
        // The load is computed again, because some of the counted players and items have been
        // removed.
        loads[engine] = players.lazy.filter { $0.key.engine == engine }
            .reduce(0) { $0 + Self.playerLoad + $1.value.patternSize + $1.value.waiting }
        if loads[engine]! > Self.loadMax { overloads[engine] = .size }
    }

    /// Mutes or unmutes an engine. The players of a muted engine continue silently.
    mutating func setMuted(_ engine: UInt32, _ isMuted: Bool) {
        guard mutedEngines.contains(engine) != isMuted else { return }
        mutedEngines.formSymmetricDifference([engine])
        if running.contains(where: { $0.engine == engine }) { isStale = true }
    }

    /// Ends and removes all players of an engine. The players of other engines continue.
    mutating func remove(_ engine: UInt32) {
        if running.contains(where: { $0.engine == engine }) { isStale = true }
        players = players.filter { $0.key.engine != engine }
        running = running.filter { $0.engine != engine }
        abandoned = abandoned.filter { $0.engine != engine }
        commands.removeAll { $0.player.engine == engine }
        mutedEngines.remove(engine)
        (overloads[engine], loads[engine]) = (nil, nil)
    }

    /// Restores the stream after it was closed by a STOP: ends all players and opens the stream
    /// again. After the call, the players can be started again. A player whose start has not been
    /// sent is considered ended.
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

    /// Returns whether the board plays the current state of the players.
    func isUpToDate(at now: HostTime) -> Bool {
        !isStale && (segment.map { $0.start + Self.begun <= now } ?? true)
    }

    /// The time after the start of a segment, in microseconds, at which the board is certain to
    /// have begun the segment if the segment arrived in time.
    private static let begun: Microseconds = 1_000
}
