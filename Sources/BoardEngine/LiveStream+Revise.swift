// Revises streams: commands change the players, and one frame changes the output of the board (SPEC
// 6, REVISE).

import BridgeLink
import HapticCompiler
import HapticPatterns

extension LiveStream {
    /// The time after the start of a segment up to which later starts are compiled into the
    /// segment, in microseconds. Starts in the more distant future are omitted, so that the
    /// actuators stay at rest in the meantime.
    private static let farStart: Microseconds = 1_000_000
    /// The interval between sending a segment that contains an omitted start and that start, in
    /// microseconds.
    static let startAhead: Microseconds = 500_000

    /// Returns whether the events on the board must be replaced.
    func mustRevise(at now: HostTime) -> Bool {
        if isStale { return true }
        if let first = commands.first, first.due - lead <= now { return true }
        return laterStart(at: now).map { $0 - Self.startAhead <= now } ?? false
    }

    /// Returns the earliest start that was omitted from the current segment because the start was
    /// too far in the future; nil if no start was omitted.
    func laterStart(at now: HostTime) -> HostTime? {
        let limit = (segment?.start ?? 0) + Self.farStart
        return running.lazy.compactMap { players[$0]?.start(after: limit) }.min()
    }

    /// Returns whether a REVISE can be sent now: either it arrives early enough to replace the
    /// preceding REVISE, or the board has already carried out the preceding REVISE and therefore
    /// does not reject it.
    func canRevise(_ session: LinkSession, at now: HostTime) -> Bool {
        reviseOpportunity(session, at: now) <= now
    }

    /// Returns the earliest host time at which a REVISE can be sent, or at which this must be
    /// checked again. If the preceding REVISE may have begun late, the next one waits for the
    /// report of the beginning, because it repeats the taps that the board has not played by then.
    func reviseOpportunity(_ session: LinkSession, at now: HostTime) -> HostTime {
        guard let clock = session.clock.deviceTime(at: now), session.isWindowClear else {
            return now + Self.retryInterval
        }
        guard let segment, bytesReplacing(segment.start, session, at: now) == nil else {
            return now
        }
        let settled = segment.start + clock.errorBound + Self.settling
        guard settled <= now else { return settled }
        return segment.isBeginningKnown ? now : now + Self.retryInterval
    }

    /// Returns the maximum number of event bytes for a REVISE that, if sent now, arrives before the
    /// last REVISE takes effect and so replaces it; nil if the number is too small.
    private func bytesReplacing(_ last: HostTime, _ session: LinkSession, at now: HostTime) -> Int?
    {
        guard last + Self.chordTime >= now + lead else { return nil }
        let most = StreamFeeder.reviseMax(
            over: session, arrivingBy: last, at: now + preparation)
        return most >= Self.replacingBytes ? most : nil
    }

    /// The minimum number of event bytes in a REVISE that replaces another REVISE. The remaining
    /// events follow in EVENTS messages in time.
    private static let replacingBytes = 16

    /// The maximum time by which the lead is shortened so that a command takes effect together with
    /// the preceding REVISE, in microseconds. The shortened lead still gives the replacing REVISE
    /// enough time to arrive.
    private static let chordTime: Microseconds = 300

    /// The time after which the board has certainly carried out a REVISE that has taken effect, in
    /// microseconds.
    private static let settling: Microseconds = 200

    /// Returns the host time at which a REVISE that is sent now takes effect.
    ///
    /// If a segment begins late, all its events are delayed. A REVISE whose commands act later
    /// therefore has more time to arrive, up to twice the lead. A command that is given in the
    /// meantime waits no longer than it would after a REVISE with the normal lead.
    private func reviseTime(_ session: LinkSession, behind lag: Microseconds, at now: HostTime)
        -> HostTime
    {
        let earliest = max(now + lead, session.arrivalOfFrame(at: now + preparation))
        let wanted = max(earliest, min(firstEffect, now + 2 * lead))
        guard let last = segment?.start, plays(at: now) else { return wanted }
        // The time is midway between two ticks of the playing segment, so that each tap is clearly
        // before or after this time.
        let half = StreamTime.tick / 2
        let begun = last + lag
        let first = max(earliest, wanted - StreamTime.tick + 1)
        let ticks = (first - begun + half - 1) / StreamTime.tick
        return begun + ticks * StreamTime.tick + half
    }

    /// Returns the time by which the board is behind the playing segment because the segment began
    /// late, in microseconds; 0 if the time is unknown.
    private func lag(_ session: LinkSession, at now: HostTime) -> Microseconds {
        max(0, segment?.pacer?.lateness(session.clock, at: now) ?? 0)
    }

    /// The earliest time at which a waiting command changes the output; 0 if a command changes the
    /// output immediately.
    private var firstEffect: HostTime {
        isStale ? 0 : commands.lazy.map(effectTime).min() ?? 0
    }

    /// Returns the time at which a command changes the output: 0 if the command changes the output
    /// immediately, `never` if the change also requires another command.
    private func effectTime(_ timed: TimedCommand) -> HostTime {
        let voice = players[timed.player]
        guard let voice, voice.isActive else {
            switch timed.command {
            case .start(let time, _), .resume(let time): return time
            default: return .never
            }
        }
        switch timed.command {
        case .start(let time, _), .send(_, let time), .schedule(_, let time), .pause(let time):
            return time
        // The command also replaces an earlier stop, so the command must act before the earlier
        // stop takes effect.
        case .stop(let time): return min(time, (voice.finishTime ?? .never) - 1)
        default: return 0
        }
    }

    /// Carries out the commands at the beginning of the queue that do not change the output because
    /// their players are not playing. Commands of players that are not playing do not wake any
    /// actuator.
    mutating func carryOutUnfelt(at now: HostTime) {
        guard phase == .open, failure == nil else { return }
        carryOutDue(by: now, at: max(now, segment?.start ?? now)) { $0.isUnfelt($1) }
    }

    /// Carries out the commands that are due by `now`, up to the first command that `fits` rejects.
    /// The player of each command is first advanced to `time`. Commands of an engine that exceed
    /// the work limit wait for the next call.
    private mutating func carryOutDue(
        by now: HostTime, at time: HostTime, where fits: (LiveStream, TimedCommand) -> Bool
    ) {
        var work: [UInt32: Int] = [:]
        var index = commands.startIndex
        while index < commands.endIndex, commands[index].due - lead <= now,
            fits(self, commands[index])
        {
            let (player, command) = (commands[index].player, commands[index].command)
            let done = work[player.engine, default: 0]
            work[player.engine] = done + command.work(on: players[player])
            guard done == 0 || work[player.engine]! <= Self.workMax else {
                // Later commands of the same engine also wait.
                index += 1
                continue
            }
            commands.remove(at: index)
            players[player]?.advance(to: time)
            carryOut(command, of: player, at: time)
        }
    }

    /// The maximum number of entries that the commands of an engine process in one call, which
    /// takes about a millisecond.
    private static let workMax = 10_000
    /// The maximum number of entries that one command may process, which takes a few milliseconds.
    static let commandMax = 25_000

    private func isUnfelt(_ command: TimedCommand) -> Bool {
        guard let voice = players[command.player] else { return true }
        switch command.command {
        case .start, .resume: return false
        case .abandon where voice.finishTime != nil: return true
        default: return !voice.isActive && !voice.isPaused
        }
    }

    /// Carries out the commands that are due, and sends the resulting segment. Returns the request;
    /// nil if the clocks have not been compared.
    mutating func revise(_ session: inout LinkSession, at now: HostTime) -> RequestID? {
        let replacing = segment.flatMap { bytesReplacing($0.start, session, at: now) }
        let lag = lag(session, at: now)
        // A waiting REVISE can only be replaced by a REVISE with the same time.
        let time =
            replacing == nil ? reviseTime(session, behind: lag, at: now) : segment!.start
        guard let device = session.clock.deviceTime(at: time) else { return nil }
        revisingSince = now
        let actsLater = firstEffect > time
        for id in running { players[id]?.advance(to: time) }
        carryOutDue(by: now, at: time) { _, _ in true }
        isStale = false
        let past = replacing == nil ? segment?.past(of: time, behind: lag) : segment?.past
        let deviceStart = device.time.stamp
        var next = LiveSegment(
            start: time, deviceStart: deviceStart, past: past ?? LiveSegment.Past(),
            compiler: compiler(from: time, past?.state ?? DriveState()))
        let most = min(firstBytes, replacing ?? StreamFeeder.reviseMax(over: session))
        let events = next.compile(until: time + Self.lookahead, orBytes: most)
        let first = Array(next.bytes.prefix(most))
        next.bytes.removeFirst(first.count)
        scale = segment?.pacer?.scale ?? scale
        (replaced, segment) = (segment, next)
        recordDensity()
        // If the commands act later, their times can still be corrected after the board has
        // reported that the segment began late.
        nextQuestionAt = time + (actsLater ? lead : Self.questionInterval)
        feeder.generation &+= 1
        return session.send(
            .revise(
                Revise(
                    stream: stream, generation: feeder.generation, time: deviceStart,
                    level: events.firstLevel, sharpness: events.firstSharpness, bytes: first)))
    }

    private func compiler(from time: HostTime, _ state: DriveState) -> HapticCompiler {
        let latest = time + Self.farStart
        let engines = Dictionary(grouping: running, by: \.engine).sorted { $0.key < $1.key }
        let voices = engines.map { engine, ids in
            var own = ids.sorted().compactMap { players[$0] }
            for index in own.indices {
                own[index].origin = time
                own[index].removeStarts(after: latest)
                // The density of a muted engine is also limited.
                if mutedEngines.contains(engine) { own[index].isMuted = true }
            }
            return EngineVoices(own, of: engine)
        }
        return HapticCompiler(profile: profile, voices: voices, isLive: true, state: state)
    }

    /// Records the engines that exceed the density limit.
    private mutating func recordDensity() {
        for case let voices as EngineVoices in segment?.compiler.voices ?? []
        where voices.isTooDense {
            overloads[voices.engine] = .density
        }
    }

    /// Carries out a command of a player that has played up to `now`.
    mutating func carryOut(_ command: PlayerCommand, of id: PlayerID, at now: HostTime) {
        if case .add(var voice) = command {
            voice.advance(to: now)
            players[id] = voice
            return load(voice, of: id.engine)
        }
        guard players[id]?.hasRoom(for: command) != false else {
            overloads[id.engine] = .waiting
            return
        }
        guard command.work(on: players[id]) <= Self.commandMax else {
            overloads[id.engine] = .command
            return
        }
        guard var voice = players.removeValue(forKey: id) else { return }
        load(command, of: id.engine)
        voice.carryOut(command, at: now)
        switch command {
        case .abandon:
            guard running.contains(id) else { return commands.removeAll { $0.player == id } }
            abandoned.insert(id)
        case .start:
            running.insert(id)
            if running.count > EngineVoices.densityMax,
                running.count(where: { $0.engine == id.engine }) > EngineVoices.densityMax
            {
                overloads[id.engine] = .density
            }
        case .cancel: commands.removeAll { $0.player == id && $0.due > 0 }
        default: break
        }
        if voice.isTooDense { overloads[id.engine] = .density }
        // No later command could end this player, so the player is removed.
        if abandoned.contains(id), voice.finishTime == nil {
            abandoned.remove(id)
        } else {
            players[id] = voice
        }
    }

    // MARK: The events after the REVISE

    /// Compiles events in advance, and sends as many event bytes as the credit allows. The messages
    /// of `advance` must have been written before the call, because compiling takes milliseconds if
    /// the patterns are dense.
    mutating func feed(_ session: inout LinkSession, at now: HostTime) {
        recordPreparation(at: now)
        guard phase == .open, failure == nil, segment != nil else { return }
        if segment!.isBeginningKnown {
            _ = segment!.driveState(at: now - lag(session, at: now))
        }
        segment!.compile(until: now + Self.lookahead)
        recordDensity()
        let count = feeder.feed(segment!.bytes[...], over: &session)
        segment!.bytes.removeFirst(count)
    }

    /// Returns the host time at which `feed` must be called; nil if there are no events to feed.
    func feedDeadline(at now: HostTime) -> HostTime? {
        guard let segment, !segment.hasEnded || !segment.bytes.isEmpty else { return nil }
        if !segment.bytes.isEmpty { return now + 5 * Self.retryInterval }
        return max(now + Self.retryInterval, segment.end - Self.lookahead / 2)
    }
}

extension [StreamEvent] {
    /// The level to which the events change at tick 0.
    fileprivate var firstLevel: UInt8 {
        for event in prefix(while: { $0.tick == 0 }) {
            switch event.content {
            case .level(let level), .levelSharpness(let level, _): return level
            default: continue
            }
        }
        return 0
    }

    /// The sharpness to which the events change at tick 0.
    fileprivate var firstSharpness: UInt8 {
        for event in prefix(while: { $0.tick == 0 }) {
            if case .levelSharpness(_, let sharpness) = event.content { return sharpness }
        }
        return 0
    }
}
