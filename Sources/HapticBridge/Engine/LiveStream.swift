// LiveStream: everything that plays on one actuator, kept on the board while players change it.
// No I/O and no clock: time, link events and commands come in, messages go to the session.

import AHAP
import BridgeLink
import HapticCompiler

/// Which player of an engine.
struct PlayerID: Hashable, Sendable {
    var number: UInt64
}

/// Mixes players and keeps the board's stream in step with them.
///
/// The stream is opened once and ends whenever nothing plays: then its actuators are at rest and no
/// dead-man watches, yet one REVISE starts them (SPEC 6). Every change is such a REVISE, a few
/// milliseconds ahead, with as many event bytes as one frame holds; EVENTS bring the rest.
///
/// Its owner calls `begin`, then `handle` with every event of the session and `advance` when
/// `nextDeadline` has come or a command was given. All times are the host's.
struct LiveStream {
    enum Phase: Equatable {
        /// Nothing was asked for, or it was given back.
        case idle
        /// OPEN is on its way, or the clocks are not compared yet.
        case opening
        case open
    }

    private(set) var phase = Phase.idle
    /// Why the board cannot play, once that is known.
    private(set) var failure: PlaybackError?

    let stream: UInt8
    /// Those that play: one that fails is left out from then on.
    private(set) var actuators: ActuatorMask
    let profile: DeviceProfile
    var players: [PlayerID: PlayerVoice] = [:]
    /// Players that were started and of which no end was told.
    var running: Set<PlayerID> = []
    /// Players that nobody can command any more: they go when they are over.
    var abandoned: Set<PlayerID> = []
    /// Commands that wait for their time or for the line, by time.
    var commands: [TimedCommand] = []
    var segment: LiveSegment?
    /// Whether what the board has is not what is to play.
    var isStale = false
    var generation: UInt8 = 0
    /// Event bytes that a REVISE may bring.
    var firstBytes = LiveStream.firstBytesMax

    /// The scale of the board's ticks, as far as is known of it.
    var scale = (value: TickScale.nominal, isSure: true)
    /// Since the board told that it plays the present segment.
    var pacer: StreamPacer?
    /// When that was, in 64-bit device microseconds.
    var segmentBegun: Microseconds = 0
    /// By how much it began too late.
    var lateness: Microseconds = 0
    /// When the board is asked again what it plays.
    var nextQuestionAt: Microseconds = 0

    private var openRequest: RequestID?
    /// REVISEs whose verdict is not known, with their generation.
    private var revisions: [RequestID: UInt8] = [:]
    /// EVENTS and SCALEs whose verdict is not known.
    var portions: Set<RequestID> = []
    private var openings = 0
    /// REVISEs and EVENTS that were refused since the board took all of one.
    private var refusals = 0
    /// Event memory that is asked for; 0: all that is free.
    private var memory: UInt16

    /// How far ahead of its arrival a change is dated: a frame takes 2.6 ms on the line, and waits
    /// for what is on it; of several actuators the others wake behind the first.
    let lead: Microseconds
    private static let lineLead: Microseconds = 4_000
    /// What is queued on the board: as long as its dead-man lets a silent host live, and more.
    static let lookahead: Microseconds = 400_000
    /// Event memory that a stream needs: what it plays, and what replaces it.
    static let memoryMin = 96
    /// Event memory that is left free, as a REVISE must find room beside what it replaces.
    static let reserve = 50
    /// Event bytes that fit a REVISE.
    static let firstBytesMax = 48
    /// How soon to look again for credit or a free line.
    static let retryInterval: Microseconds = 1_000
    /// How often a stream may be opened anew before it counts as broken.
    private static let openingsMax = 5
    /// How often one open stream may refuse what is said.
    private static let refusalsMax = 20

    init(
        stream: UInt8 = 0, actuators: ActuatorMask, memory: UInt16 = 0,
        profile: DeviceProfile = .reference
    ) {
        self.stream = stream
        self.actuators = actuators
        self.memory = memory
        lead = Self.lineLead + HapticBoard.wakingTime(of: actuators)
        self.profile = profile
    }

    /// Whether anything plays or is about to.
    var isBusy: Bool { !running.isEmpty || !commands.isEmpty }

    // MARK: Commands

    /// Takes a command. It takes effect at its time, or as soon as the board can be told.
    mutating func perform(_ command: PlayerCommand, of player: PlayerID) {
        if case .stop(let time) = command {
            // What was to happen to it behind its end is not for its next start.
            commands.removeAll { $0.player == player && $0.due > 0 && $0.due >= time }
        }
        let timed = TimedCommand(player: player, command: command)
        let last = commands.lastIndex { $0.player == player && $0.due == 0 }
        if let last, let both = commands[last].command.merged(with: command) {
            commands[last].command = both
            return
        }
        let index = commands.firstIndex { $0.due > timed.due } ?? commands.endIndex
        commands.insert(timed, at: index)
    }

    /// The players that are over at `now` on the board, of those that were started; each once.
    mutating func takeFinished(at now: Microseconds) -> [PlayerID] {
        let played = playedTime(at: now)
        let finished = running.filter { id in
            guard let finish = players[id]?.finishTime else { return players[id] == nil }
            return finish <= played
        }
        running.subtract(finished)
        for id in abandoned.intersection(finished) {
            players[id] = nil
            abandoned.remove(id)
        }
        return finished.sorted { $0.number < $1.number }
    }

    // MARK: The session

    /// Opens the stream.
    mutating func begin(_ session: inout LinkSession, at now: Microseconds) {
        openings += 1
        guard openings <= Self.openingsMax else {
            failure = failure ?? .unanswered
            return
        }
        openRequest = session.send(
            .open(Open(stream: stream, actuators: actuators, memory: memory)))
        (generation, refusals) = (0, 0)
        (revisions, portions) = ([:], [])
        segment = nil
        (scale, pacer) = ((.nominal, true), nil)
        isStale = !running.isEmpty
        phase = .opening
    }

    /// Gives the stream back: its actuators come to rest.
    ///
    /// - Returns: the request that does so; nil if there was nothing to give back.
    @discardableResult
    mutating func end(_ session: inout LinkSession) -> RequestID? {
        let request = phase == .idle ? nil : session.send(.close(stream: stream))
        phase = .idle
        segment = nil
        commands = []
        return request
    }

    /// Takes an event of the session, which may be another stream's.
    mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, at now: Microseconds
    ) {
        switch event {
        case .carriedOut(let request) where request == openRequest: phase = .open
        case .carriedOut(let request): carriedOut(request)
        case .rejected(let request, let reject) where request == openRequest:
            guard leaveOut(reject) || makeDo(reject) else {
                failure = .rejected(reject)
                return
            }
            begin(&session, at: now)
        case .rejected(let request, let reject):
            if let revised = revisions.removeValue(forKey: request) {
                refused(revised, reject, &session, at: now)
            } else if portions.remove(request) != nil, phase == .open {
                refused(reject, &session, at: now)
            }
        case .verdictLost(let request) where request == openRequest: begin(&session, at: now)
        case .verdictLost(let request):
            // Whether it counts is not known.
            if revisions.removeValue(forKey: request) != nil || portions.remove(request) != nil {
                sayAgain(&session, at: now)
            }
        case .stream(let status, _) where status.stream == stream && status.state == .closed:
            if phase == .open, segment != nil { begin(&session, at: now) }
        case .stream(let status, _) where status.stream == stream:
            follow(status, session.clock, at: now)
            pace(&session, at: now)
        case .clockSampled: pace(&session, at: now)
        default: break
        }
        advance(&session, at: now)
    }

    private mutating func carriedOut(_ request: RequestID) {
        let isPortion = portions.remove(request) != nil
        let isRevision = revisions.removeValue(forKey: request) != nil
        if isRevision { firstBytes = Self.firstBytesMax }
        let isAllTaken = isRevision && portions.isEmpty && segment?.bytes.isEmpty != false
        if isPortion || isAllTaken { (openings, refusals) = (0, 0) }
    }

    /// Replaces what was refused; opens the stream anew where that is refused again and again.
    private mutating func sayAgain(_ session: inout LinkSession, at now: Microseconds) {
        isStale = true
        refusals += 1
        if refusals > Self.refusalsMax { begin(&session, at: now) }
    }

    /// Whether the stream can do without the actuator because of which it was not opened.
    private mutating func leaveOut(_ reject: Reject) -> Bool {
        let numbers = actuators.indices
        guard reject.code == .fault, numbers.count > 1,
            let broken = numbers.first(where: { UInt32($0) == reject.limit })
        else { return false }
        actuators.remove(ActuatorMask(index: Int(broken)))
        openings = 0
        return true
    }

    /// Whether the stream can do with the event memory that there is in one piece.
    private mutating func makeDo(_ reject: Reject) -> Bool {
        guard reject.code == .memory, (Self.memoryMin..<Int(memory)).contains(Int(reject.limit))
        else { return false }
        memory = UInt16(reject.limit)
        return true
    }

    /// A REVISE that came together with the one before it, after a stall of the line, finds that one
    /// waiting and is refused; those behind it are of a generation that the board does not expect.
    private mutating func refused(
        _ revised: UInt8, _ reject: Reject, _ session: inout LinkSession, at now: Microseconds
    ) {
        switch reject.code {
        case .pending: generation = revised &- 1
        case .credit:
            generation = revised &- 1
            firstBytes = min(Self.firstBytesMax, Int(reject.limit))
        case .range: generation = UInt8(truncatingIfNeeded: reject.limit) &- 1
        default: return begin(&session, at: now)
        }
        sayAgain(&session, at: now)
    }

    /// A part of the present segment is missing, or the stream was closed and nobody told.
    private mutating func refused(
        _ reject: Reject, _ session: inout LinkSession, at now: Microseconds
    ) {
        switch reject.code {
        case .noStream: begin(&session, at: now)
        case .credit: sayAgain(&session, at: now)
        default: break
        }
    }

    /// Does what is due: revises, feeds the board, and asks what it plays.
    mutating func advance(_ session: inout LinkSession, at now: Microseconds) {
        guard phase == .open, failure == nil else { return }
        carryOutUnfelt(at: now)
        if mustRevise(at: now), canRevise(session, at: now) {
            if let request = revise(&session, at: now) { revisions[request] = generation }
        }
        feed(&session, at: now)
        if let due = questionDeadline(at: now), due <= now {
            session.ask(.stream(stream))
            nextQuestionAt = now + Self.questionInterval
        }
    }

    /// When `advance` has something to do by itself.
    func nextDeadline(_ session: LinkSession, at now: Microseconds) -> Microseconds? {
        guard phase == .open, failure == nil else { return nil }
        if mustRevise(at: now) { return reviseOpportunity(session, at: now) }
        return [
            commands.first.map { $0.due - lead }, feedDeadline(at: now),
            questionDeadline(at: now),
            running.lazy.compactMap { players[$0]?.finishTime }.map { $0 + lateness }
                .filter { $0 > now }.min(),
            laterStart(at: now).map { $0 - Self.startAhead },
        ].compactMap { $0 }.min()
    }
}
