// BoardStreams: the streams of a board, and the engines that each stream mixes.

import BridgeLink
import HapticBoards
import HapticCompiler

/// The streams of a board. Engines on the same actuators share a stream, which mixes their players.
///
/// Each actuator plays at most one stream (SPEC 6). If the actuators of an engine overlap with
/// those of a stream, the stream is divided, and the engine plays on several streams.
struct BoardStreams {
    /// A stream and its engines.
    private struct Shared {
        var live: LiveStream
        var engines: Set<UInt32>
    }

    private var streams: [Shared] = []

    /// The requests, actuators and streams for which an engine waits after leaving its streams. The
    /// output of the engine has ended when all these waits have ended.
    struct PendingLeave {
        /// The requests that close streams and have not been answered.
        var closeRequests: Set<RequestID> = []
        var actuators: Set<UInt8> = []
        /// The streams in which other engines continue to play. The wait ends when the board plays
        /// these streams without the players of the engine that has left.
        var shared: Set<UInt8> = []
    }

    // MARK: Engines

    /// Adds an engine to the streams of its actuators.
    ///
    /// - Parameters:
    ///   - configurations: the known configurations of the board's actuators, by number.
    ///   - welcome: the WELCOME message from the board.
    /// - Throws: `HapticError` if the board has too few streams.
    mutating func join(
        _ engine: UInt32, on actuators: ActuatorMask,
        _ configurations: [UInt8: ActuatorConfiguration], of welcome: Welcome,
        _ session: inout LinkSession, at now: HostTime
    ) throws(HapticError) {
        let taken = streams.reduce(into: ActuatorMask()) { $0.formUnion($1.live.actuators) }
        let new = actuators.subtracting(taken)
        let divided = streams.indices.filter { index in
            let own = streams[index].live.actuators
            return !own.isDisjoint(with: actuators) && !own.isSubset(of: actuators)
        }
        var free = (0..<welcome.streams).filter { number in
            !streams.contains { $0.live.stream == number }
        }
        guard divided.count + (new.isEmpty ? 0 : 1) <= free.count else {
            throw HapticError(
                .serverInitFailed,
                "another engine uses other actuators of the board, and the board plays at most "
                    + "\(welcome.streams) stream\(welcome.streams == 1 ? "" : "s") at the same "
                    + "time; stop that engine, or play at the locality of that engine")
        }
        for index in divided {
            let whole = streams[index]
            func part(_ stream: UInt8, _ actuators: ActuatorMask) -> Shared {
                let live = LiveStream(
                    dividing: whole.live, stream: stream, actuators: actuators,
                    memory: Self.memory(for: actuators, of: welcome),
                    profile: Self.profile(of: actuators, configurations), on: welcome.kind)
                return Shared(live: live, engines: whole.engines)
            }
            // The stream with fewer actuators is opened first, because this order frees actuators
            // and memory for the other stream.
            streams[index] = part(
                whole.live.stream, whole.live.actuators.intersection(actuators))
            streams[index].live.begin(&session, at: now)
            streams.append(
                part(free.removeFirst(), whole.live.actuators.subtracting(actuators)))
            streams[streams.endIndex - 1].live.begin(&session, at: now)
        }
        if !new.isEmpty {
            var live = LiveStream(
                stream: free.removeFirst(), actuators: new,
                memory: Self.memory(for: new, of: welcome),
                profile: Self.profile(of: new, configurations), on: welcome.kind)
            live.begin(&session, at: now)
            streams.append(Shared(live: live, engines: []))
        }
        for index in streams.indices where streams[index].live.actuators.isSubset(of: actuators) {
            streams[index].engines.insert(engine)
        }
    }

    /// Returns the event memory of a stream, in bytes. The memory is proportional to the number of
    /// the stream's actuators, but leaves enough for a minimal stream on each of the other
    /// actuators.
    private static func memory(for actuators: ActuatorMask, of welcome: Welcome) -> UInt16 {
        let (own, all) = (actuators.indices.count, Int(welcome.actuators))
        let total = Int(welcome.eventMemory)
        let size = min(total * own / all, total - (all - own) * LiveStream.memoryMin)
        return UInt16(max(size, LiveStream.memoryMin))
    }

    private static func profile(
        of actuators: ActuatorMask, _ configurations: [UInt8: ActuatorConfiguration]
    ) -> DeviceProfile {
        DeviceProfile(of: actuators.indices.compactMap { configurations[$0] }) ?? .reference
    }

    /// Ends the players of an engine. Streams that no other engine uses are closed.
    mutating func leave(_ engine: UInt32, _ session: inout LinkSession) -> PendingLeave {
        var pending = PendingLeave()
        for index in streams.indices.reversed() where streams[index].engines.contains(engine) {
            streams[index].engines.remove(engine)
            streams[index].live.remove(engine)
            let live = streams[index].live
            if !streams[index].engines.isEmpty {
                pending.shared.insert(live.stream)
                continue
            }
            if let request = streams[index].live.end(&session) {
                pending.closeRequests.insert(request)
                pending.actuators.formUnion(live.actuators.indices)
            }
            streams.remove(at: index)
        }
        return pending
    }

    /// Discards all streams, because the board has closed its streams.
    mutating func removeAll() { streams = [] }

    /// Ends all players after a STOP, which has closed all streams. After the call, the engines can
    /// play again.
    mutating func stopAll(_ session: inout LinkSession, at now: HostTime) {
        for index in streams.indices { streams[index].live.stopAll(&session, at: now) }
    }

    mutating func perform(_ command: PlayerCommand, of player: PlayerID) {
        for index in streams.indices where streams[index].engines.contains(player.engine) {
            streams[index].live.perform(command, of: player)
        }
    }

    /// Mutes or unmutes an engine.
    mutating func setMuted(_ engine: UInt32, _ isMuted: Bool) {
        for index in streams.indices where streams[index].engines.contains(engine) {
            streams[index].live.setMuted(engine, isMuted)
        }
    }

    // MARK: State

    /// Returns the indices of the streams of an engine. Callers use the indices to read the streams
    /// without copying them.
    private func indices(of engine: UInt32) -> some Sequence<Int> {
        streams.indices.lazy.filter { streams[$0].engines.contains(engine) }
    }

    /// Returns the first stream of an engine; nil if the engine has no stream. The statistics of
    /// the first stream are reported as the statistics of the engine.
    func first(of engine: UInt32) -> LiveStream? {
        indices(of: engine).min { streams[$0].live.stream < streams[$1].live.stream }
            .map { streams[$0].live }
    }

    /// Returns whether all streams of an engine are open.
    func areOpen(for engine: UInt32) -> Bool {
        indices(of: engine).allSatisfy { streams[$0].live.phase == .open }
    }

    /// Returns the reason why an engine cannot play; nil if the engine can play.
    func failure(of engine: UInt32) -> PlaybackError? {
        indices(of: engine).lazy.compactMap { streams[$0].live.failure }.first
    }

    /// Returns the number of commands of an engine that have not been carried out.
    func waitingCommands(of engine: UInt32) -> Int {
        indices(of: engine).map { streams[$0].live.waitingCommands(of: engine) }.max() ?? 0
    }

    /// Returns the limit that an engine has exceeded; nil if the engine has exceeded no limit.
    func overload(by engine: UInt32) -> LiveStream.Overload? {
        indices(of: engine).lazy.compactMap { streams[$0].live.overloads[engine] }.first
    }

    /// Returns whether any player of an engine is playing or about to play.
    func isBusy(with engine: UInt32) -> Bool {
        indices(of: engine).contains { streams[$0].live.isBusy(with: engine) }
    }

    /// Returns the host time at which the last taps of an engine end, if all its players have
    /// ended; nil if a player has not ended, or if other engines still use all streams of the
    /// engine.
    func driveEnd(of engine: UInt32) -> HostTime? {
        isBusy(with: engine)
            ? nil : indices(of: engine).compactMap { streams[$0].live.driveEnd }.max()
    }

    /// Returns whether the streams with the given numbers play the current state of their players.
    /// Closed streams are considered up to date.
    func areUpToDate(_ numbers: Set<UInt8>, at now: HostTime) -> Bool {
        streams.allSatisfy { !numbers.contains($0.live.stream) || $0.live.isUpToDate(at: now) }
    }

    // MARK: The session

    /// Carries out the commands that do not change the output of any stream.
    mutating func carryOutUnfelt(at now: HostTime) {
        for index in streams.indices { streams[index].live.carryOutUnfelt(at: now) }
    }

    /// Advances all streams to the current time. The first stream in the list sends its messages
    /// before the other streams, so a different stream is moved to the first position in each turn.
    mutating func advance(_ session: inout LinkSession, at now: HostTime) {
        if !streams.isEmpty { streams.append(streams.removeFirst()) }
        for index in streams.indices { streams[index].live.advance(&session, at: now) }
    }

    /// Compiles events of all streams in advance, and sends the events. The messages of `advance`
    /// must have been written before the call.
    mutating func feed(_ session: inout LinkSession, at now: HostTime) {
        for index in streams.indices { streams[index].live.feed(&session, at: now) }
    }

    mutating func handle(_ event: LinkEvent, _ session: inout LinkSession, at now: HostTime) {
        for index in streams.indices { streams[index].live.handle(event, &session, at: now) }
    }

    /// Returns the players that have ended, grouped by engine. Each player is returned once for
    /// each start.
    mutating func removeFinished(at now: HostTime) -> [UInt32: [PlayerID]] {
        var finished: [UInt32: [PlayerID]] = [:]
        for index in streams.indices {
            let stream = streams[index].live.stream
            for player in streams[index].live.removeFinished(at: now)
            where first(of: player.engine)?.stream == stream {
                finished[player.engine, default: []].append(player)
            }
        }
        return finished
    }

    /// Returns the host time at which `advance` must be called even without an event; nil if there
    /// is no such time.
    func nextDeadline(_ session: LinkSession, at now: HostTime) -> HostTime? {
        streams.compactMap { $0.live.nextDeadline(session, at: now) }.min()
    }
}
