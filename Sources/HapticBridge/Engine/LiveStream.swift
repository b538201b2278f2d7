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
    let actuators: ActuatorMask
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

    private var openRequest: RequestID?
    /// REVISEs whose verdict is not known, with their generation.
    private var revisions: [RequestID: UInt8] = [:]
    private var openings = 0

    /// How far ahead of its arrival a change is dated: a frame takes 2.6 ms on the line, and waits
    /// for what is on it.
    static let lead: Microseconds = 4_000
    /// What is queued on the board: as long as its dead-man lets a silent host live, and more.
    static let lookahead: Microseconds = 400_000
    /// Event memory that is left free, as a REVISE must find room beside what it replaces.
    static let reserve = 50
    /// How soon to look again for credit or a free line.
    static let retryInterval: Microseconds = 1_000
    /// How often a stream may be opened anew before it counts as broken.
    private static let openingsMax = 5

    init(
        stream: UInt8 = 0, actuators: ActuatorMask, profile: DeviceProfile = .reference
    ) {
        self.stream = stream
        self.actuators = actuators
        self.profile = profile
    }

    /// Whether anything plays or is about to.
    var isBusy: Bool { !running.isEmpty || !commands.isEmpty }

    // MARK: Commands

    /// Takes a command. It takes effect at its time, or as soon as the board can be told.
    mutating func perform(_ command: PlayerCommand, of player: PlayerID) {
        let timed = TimedCommand(player: player, command: command)
        let index = commands.firstIndex { $0.due > timed.due } ?? commands.endIndex
        commands.insert(timed, at: index)
    }

    /// The players that are over at `now`, of those that were started; each once.
    mutating func takeFinished(at now: Microseconds) -> [PlayerID] {
        let finished = running.filter { id in
            guard let finish = players[id]?.finishTime else { return players[id] == nil }
            return finish <= now
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
        openRequest = session.send(.open(Open(stream: stream, actuators: actuators)))
        generation = 0
        revisions = [:]
        segment = nil
        isStale = !running.isEmpty
        phase = .opening
    }

    /// Gives the stream back: its actuators come to rest.
    mutating func end(_ session: inout LinkSession) {
        if phase != .idle { session.send(.close(stream: stream)) }
        phase = .idle
        segment = nil
        commands = []
    }

    /// Takes an event of the session.
    mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, at now: Microseconds
    ) {
        switch event {
        case .carriedOut(let request) where request == openRequest: phase = .open
        case .carriedOut(let request):
            if revisions.removeValue(forKey: request) != nil { openings = 0 }
        case .rejected(let request, let reject) where request == openRequest:
            failure = .rejected(reject)
        case .rejected(let request, let reject):
            guard let revised = revisions.removeValue(forKey: request) else { break }
            refused(revised, reject, &session, at: now)
        case .stream(let status, _) where status.stream == stream && status.state == .closed:
            if phase == .open, segment != nil { begin(&session, at: now) }
        default: break
        }
        advance(&session, at: now)
    }

    /// A REVISE that came together with the one before it, after a stall of the line, finds that one
    /// waiting and is refused; those behind it are of a generation that the board does not expect.
    private mutating func refused(
        _ revised: UInt8, _ reject: Reject, _ session: inout LinkSession, at now: Microseconds
    ) {
        switch reject.code {
        case .pending, .credit: generation = revised &- 1
        case .range: generation = UInt8(truncatingIfNeeded: reject.limit) &- 1
        default: return begin(&session, at: now)
        }
        isStale = true
    }

    /// Does what is due: revises, and feeds the board.
    mutating func advance(_ session: inout LinkSession, at now: Microseconds) {
        guard phase == .open, failure == nil else { return }
        carryOutUnfelt(at: now)
        if mustRevise(at: now), canRevise(session, at: now) {
            if let request = revise(&session, at: now) { revisions[request] = generation }
        }
        feed(&session, at: now)
    }

    /// When `advance` has something to do by itself.
    func nextDeadline(_ session: LinkSession, at now: Microseconds) -> Microseconds? {
        guard phase == .open, failure == nil else { return nil }
        if mustRevise(at: now) { return reviseOpportunity(session, at: now) }
        return [
            commands.first.map { $0.due - Self.lead }, feedDeadline(at: now),
            running.lazy.compactMap { players[$0]?.finishTime }.filter { $0 > now }.min(),
            laterStart(at: now).map { $0 - Self.startAhead },
        ].compactMap { $0 }.min()
    }
}

/// What an app does to a player. Times are the host's; one that has passed means now.
enum PlayerCommand: Sendable {
    case add(PlayerVoice)
    /// Nobody can command it any more: it plays to its end, if it has one.
    case abandon
    case start(at: Microseconds)
    case stop(at: Microseconds)
    case send([HapticDynamicParameter], at: Microseconds)
    case schedule(HapticParameterCurve, at: Microseconds)
    case cancel
    case pause(at: Microseconds)
    case resume(at: Microseconds)
    case seek(offset: Microseconds)
    case setMuted(Bool)
    case setRate(Double)
    case setLoop(Bool, end: Microseconds)
}

/// A command with its place in the queue.
struct TimedCommand: Sendable {
    let player: PlayerID
    let command: PlayerCommand

    /// When it is carried out; the voice itself keeps the times of the others.
    var due: Microseconds {
        switch command {
        case .pause(let time), .resume(let time): time
        default: 0
        }
    }
}
