// Revising: commands change the players, and one frame changes what is felt (SPEC 6, REVISE).

import AHAP
import BridgeLink
import HapticCompiler

/// What was compiled since the last REVISE.
struct LiveSegment {
    /// The host's time of tick 0.
    let start: Microseconds
    /// The board's.
    let deviceStart: UInt32
    var compiler: HapticCompiler
    var encoder = EventStreamEncoder()
    /// Event code that was not handed to the session yet.
    var bytes: [UInt8] = []
    /// The tick of the last event or wait in ``bytes`` or before.
    var lastTick: Ticks = 0
    var hasEnded = false

    /// Up to where the board has something to do once it has all bytes, host time.
    var end: Microseconds { start + StreamTime.time(of: lastTick) }

    /// Compiles on until the board has something to do at `time`, or there are `count` bytes.
    ///
    /// - Returns: the events that were added.
    @discardableResult
    mutating func compile(until time: Microseconds, orBytes count: Int = .max) -> [StreamEvent] {
        var events: [StreamEvent] = []
        var window = Self.window
        while !hasEnded, end < time, bytes.count < count {
            let part = compiler.nextSegment(duration: window)
            for event in part.events { encoder.append(event) }
            hasEnded = part.hasEnded
            // What holds, holds on: without a wait it would be an underrun.
            if !hasEnded, part.events.isEmpty { encoder.wait(until: compiler.horizon) }
            lastTick = max(lastTick, part.events.last?.tick ?? 0, hasEnded ? 0 : settled(part))
            encoder.flush()
            bytes += encoder.takeBytes()
            events += part.events
            // A ramp leaves when its end is known, however far that is.
            window = part.events.isEmpty ? min(window * 2, Self.windowMax) : Self.window
        }
        return events
    }

    private func settled(_ part: EventSegment) -> Ticks {
        part.events.isEmpty ? compiler.horizon : 0
    }

    private static let window: Microseconds = 50_000
    private static let windowMax: Microseconds = 1_600_000
}

extension LiveStream {
    /// A start that lies further ahead is not compiled yet: the actuators stay at rest.
    private static let farStart: Microseconds = 1_000_000
    static let startAhead: Microseconds = 500_000

    /// Whether what the board has must be replaced.
    func mustRevise(at now: Microseconds) -> Bool {
        if isStale { return true }
        if let first = commands.first, first.due - lead <= now { return true }
        return laterStart(at: now).map { $0 - Self.startAhead <= now } ?? false
    }

    /// The first start that was left out of the present segment because it was far ahead.
    func laterStart(at now: Microseconds) -> Microseconds? {
        let limit = (segment?.start ?? 0) + Self.farStart
        return running.lazy.compactMap { players[$0]?.startTime }
            .filter { $0 != .max && $0 > limit }.min()
    }

    /// Whether a REVISE that is sent now is neither too late for the one before it nor refused
    /// because that one waits.
    func canRevise(_ session: LinkSession, at now: Microseconds) -> Bool {
        reviseOpportunity(session, at: now) <= now
    }

    /// When a REVISE can be sent.
    func reviseOpportunity(_ session: LinkSession, at now: Microseconds) -> Microseconds {
        guard let clock = session.clock.deviceTime(at: now), session.isWindowClear else {
            return now + Self.retryInterval
        }
        guard let last = segment?.start, last < now + lead,
            last + clock.errorBound + Self.settling > now
        else { return now }
        return last + clock.errorBound + Self.settling
    }

    /// From the time of a REVISE until the board has surely carried it out.
    private static let settling: Microseconds = 200

    /// When a REVISE that is sent now takes effect.
    private func reviseTime(at now: Microseconds) -> Microseconds {
        let earliest = now + lead
        guard let last = segment?.start else { return earliest }
        // One that waits can only be replaced for its own time.
        if last >= earliest { return last }
        // Between two ticks of what is replaced: each tap is on one side of it.
        let ticks = (earliest - last) / StreamTime.tick + 1
        return last + ticks * StreamTime.tick + StreamTime.tick / 2
    }

    /// Carries out the first commands as long as they change nothing that is felt: those of players
    /// that do not play. The actuators need not wake for them.
    mutating func carryOutUnfelt(at now: Microseconds) {
        while let first = commands.first, first.due - lead <= now, isUnfelt(first) {
            commands.removeFirst()
            let time = max(now, segment?.start ?? now)
            players[first.player]?.advance(to: time)
            carryOut(first.command, of: first.player, at: time)
        }
    }

    private func isUnfelt(_ command: TimedCommand) -> Bool {
        guard let voice = players[command.player] else { return true }
        switch command.command {
        case .start, .resume: return false
        case .abandon where voice.finishTime != nil: return true
        default: return !voice.isActive && !voice.isPaused
        }
    }

    /// Carries out the commands that are due and sends what plays then.
    mutating func revise(_ session: inout LinkSession, at now: Microseconds) -> RequestID? {
        let time = reviseTime(at: now)
        guard let device = session.clock.deviceTime(at: time) else { return nil }
        for id in players.keys { players[id]?.advance(to: time) }
        while let first = commands.first, first.due - lead <= now {
            commands.removeFirst()
            carryOut(first.command, of: first.player, at: time)
        }
        isStale = false
        let deviceStart = UInt32(truncatingIfNeeded: device.time)
        var next = LiveSegment(
            start: time, deviceStart: deviceStart, compiler: compiler(from: time))
        let events = next.compile(until: time + Self.lookahead, orBytes: firstBytes)
        let first = Array(next.bytes.prefix(firstBytes))
        next.bytes.removeFirst(first.count)
        segment = next
        (scale, pacer) = (pacer?.scale ?? scale, nil)
        nextQuestionAt = time + Self.questionInterval
        generation &+= 1
        return session.send(
            .revise(
                Revise(
                    stream: stream, generation: generation, time: deviceStart,
                    level: events.firstLevel, sharpness: 0, bytes: first)))
    }

    private func compiler(from time: Microseconds) -> HapticCompiler {
        let voices = players.sorted { $0.key.number < $1.key.number }.map { $0.value }
            .filter { $0.isActive && $0.startTime <= time + Self.farStart }
            .map { voice -> any Voice in
                var voice = voice
                voice.origin = time
                return voice
            }
        return HapticCompiler(profile: profile, voices: voices, isLive: true)
    }

    private mutating func carryOut(
        _ command: PlayerCommand, of id: PlayerID, at now: Microseconds
    ) {
        if case .add(var voice) = command {
            voice.advance(to: now)
            players[id] = voice
            return
        }
        guard var voice = players.removeValue(forKey: id) else { return }
        switch command {
        case .add: break
        case .abandon:
            guard running.contains(id) else { return }
            abandoned.insert(id)
        case .start(let time):
            voice.start(at: max(time, now))
            running.insert(id)
        case .stop(let time): voice.stop(at: max(time, now))
        case .send(let parameters, let time): voice.send(parameters, at: max(time, now))
        case .schedule(let curve, let time): voice.schedule(curve, at: max(time, now))
        case .cancel:
            voice.cancel()
            commands.removeAll { $0.player == id && $0.due > 0 }
        case .pause: voice.pause()
        case .resume(let time): voice.resume(at: max(time, now))
        case .seek(let offset): voice.seek(to: offset)
        case .setMuted(let isMuted): voice.isMuted = isMuted
        case .setRate(let rate): voice.setRate(rate)
        case .setLoop(let isEnabled, let end): voice.setLoop(isEnabled, end: end)
        }
        // Nobody could end it: it is over.
        if abandoned.contains(id), voice.finishTime == nil {
            abandoned.remove(id)
        } else {
            players[id] = voice
        }
    }

    // MARK: The rest of the segment

    /// Hands over event bytes as far as credit reaches, and compiles ahead.
    mutating func feed(_ session: inout LinkSession, at now: Microseconds) {
        guard segment != nil else { return }
        segment!.compile(until: now + Self.lookahead)
        while session.isWindowClear, let bytes = nextPortion(session) {
            portions.insert(
                session.send(
                    .events(Events(stream: stream, generation: generation, bytes: bytes))))
            segment!.bytes.removeFirst(bytes.count)
        }
    }

    private func nextPortion(_ session: LinkSession) -> [UInt8]? {
        guard let bytes = segment?.bytes, !bytes.isEmpty else { return nil }
        let credit = session.eventCredit(stream: stream, generation: generation) - Self.reserve
        let count = min(bytes.count, credit, Self.firstBytesMax)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// When `feed` has something to do.
    func feedDeadline(at now: Microseconds) -> Microseconds? {
        guard let segment, !segment.hasEnded || !segment.bytes.isEmpty else { return nil }
        if !segment.bytes.isEmpty { return now + 5 * Self.retryInterval }
        return max(now + Self.retryInterval, segment.end - Self.lookahead / 2)
    }
}

extension [StreamEvent] {
    /// The level that they jump to at tick 0.
    fileprivate var firstLevel: UInt8 {
        for event in prefix(while: { $0.tick == 0 }) {
            switch event.content {
            case .level(let level), .levelSharpness(let level, _): return level
            default: continue
            }
        }
        return 0
    }
}
