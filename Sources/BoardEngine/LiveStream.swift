// LiveStream: everything that plays on one actuator, kept up to date on the board while players
// change it. No I/O and no clock: time, link events and commands come in, messages go to the
// session.

import BridgeLink
import HapticBoards
import HapticCompiler
import HapticPatterns

/// Mixes players and keeps the board's stream in step with them.
///
/// The stream is opened once and ends whenever nothing plays. Then its actuators are at rest and
/// the dead-man is not active, yet a single REVISE starts them (SPEC 6). Every change is such a
/// REVISE, dated a few milliseconds ahead and with as many event bytes as fit one frame; EVENTS
/// carry the rest.
///
/// The owner calls `begin`, then `handle` with every event of the session, and `advance` when
/// `nextDeadline` has come or a command was given. All times are the host's.
struct LiveStream {
    enum Phase: Equatable {
        /// The stream was not opened, or was given back.
        case idle
        /// OPEN has been sent and is not answered yet.
        case opening
        case open
    }

    private(set) var phase = Phase.idle
    /// The reason why the board cannot play, once that is known.
    private(set) var failure: PlaybackError?

    var feeder: StreamFeeder
    /// The actuators that play the stream. An actuator that fails is left out from then on.
    private(set) var actuators: ActuatorMask
    let profile: DeviceProfile
    var players: [PlayerID: PlayerVoice] = [:]
    /// The players that were started and whose end has not been reported.
    var running: Set<PlayerID> = []
    /// The players that can no longer be given commands. They are removed when they are over.
    var abandoned: Set<PlayerID> = []
    /// The engines that are muted, so that nothing of them is felt.
    var mutedEngines: Set<UInt32> = []
    /// The commands that wait for their time or for the line, sorted by time.
    var commands: [TimedCommand] = []
    /// The engines that have asked for more than a board plays for one, and the limit that they have passed.
    var overloads: [UInt32: Overload] = [:]
    /// The greatest size that the players of each engine may have together.
    var loads: [UInt32: Int] = [:]
    var segment: LiveSegment?
    /// True if the events on the board are out of date.
    var isStale = false
    /// Event bytes that a REVISE may bring, where the board has refused more.
    var firstBytes = Int.max

    /// The scale of the board's ticks, as far as it is known.
    var scale = (value: TickScale.nominal, isSure: true)
    /// The pacer, once the board has reported that it plays the present segment.
    var pacer: StreamPacer?
    /// The device time at which the present segment began.
    var segmentBegun: DeviceTime = 0
    /// The time by which the present segment began late, in microseconds.
    var lateness: Microseconds = 0
    /// The host time at which the board is next asked for the state of the stream.
    var nextQuestionAt: HostTime = 0

    private var openRequest: RequestID?
    /// REVISEs whose outcome is not known, with their generation.
    private var revisions: [RequestID: UInt8] = [:]
    /// The number of attempts to open the stream since it last worked.
    var openings = 0
    /// The number of REVISEs and EVENTS that were refused since the board last accepted one
    /// completely.
    private var refusals = 0
    /// The host times at which the board closed the stream by itself, of the last
    /// ``closingPeriod``.
    private var closings: [HostTime] = []
    /// The event memory to ask for, in bytes; 0 asks for all that is free.
    private var memory: UInt16

    /// The lead with which a change is dated, in microseconds: what a frame takes to the board at
    /// most, and 1.4 ms for a computer that is late. With several actuators the others wake after
    /// the first.
    let lead: Microseconds
    /// A frame takes 2.6 ms on a line, and waits for what is already on it.
    private static let lineLead: Microseconds = 4_000
    /// A board's own USB takes a frame at the next edge of its own frames of 1 ms.
    private static let usbLead: Microseconds = 2_500
    /// The time for which events are queued on the board, in microseconds: longer than its dead-man
    /// tolerates a silent host.
    static let lookahead: Microseconds = 400_000
    /// The event memory that a stream needs, in bytes, for the events that play and those that
    /// replace them.
    static let memoryMin = 96
    /// The event memory that is left free, in bytes, because a REVISE must find room in addition to
    /// the events that it replaces.
    static let reserve = 50
    /// The interval at which credit or a free line is checked for, in microseconds.
    static let retryInterval: Microseconds = 1_000
    /// The number of attempts to open a stream before it counts as broken.
    private static let openingsMax = 5
    /// The number of times that the board may close the stream by itself within a period, in
    /// microseconds, before it counts as broken. A short circuit at an actuator closes it at each
    /// attempt to play.
    private static let closingsMax = 5
    private static let closingPeriod: Microseconds = 10_000_000
    /// The number of messages that an open stream may refuse before it is opened again.
    private static let refusalsMax = 20

    init(
        stream: UInt8 = 0, actuators: ActuatorMask, memory: UInt16 = 0,
        profile: DeviceProfile = .reference, on kind: BoardKind = .unknown
    ) {
        feeder = StreamFeeder(stream: stream, reserve: Self.reserve)
        self.actuators = actuators
        self.memory = memory
        lead =
            (kind.hasOwnUSB ? Self.usbLead : Self.lineLead)
            + HapticBoard.wakingTime(of: actuators)
        self.profile = profile
    }

    var stream: UInt8 { feeder.stream }

    /// True if anything is playing or about to play.
    var isBusy: Bool { isBusy { _ in true } }

    /// Returns whether anything of some players is playing, or waits for the line. What waits for its time
    /// changes nothing of a player that is over.
    func isBusy(_ isMeant: (PlayerID) -> Bool) -> Bool {
        running.contains(where: isMeant)
            || commands.contains { $0.due == 0 && isMeant($0.player) }
    }

    // MARK: Commands

    /// Accepts a command, which takes effect at its time, or as soon as the board can be told.
    mutating func perform(_ command: PlayerCommand, of player: PlayerID) {
        if case .stop(let time) = command {
            // Commands that were scheduled after the player's end are not meant for its next start.
            commands.removeAll { $0.player == player && $0.due > 0 && $0.due >= time }
        }
        let timed = TimedCommand(player: player, command: command)
        let last = commands.lastIndex { $0.player == player && $0.due == 0 }
        if let last, let both = commands[last].command.merged(with: command) {
            commands[last].command = both
            return
        }
        guard timed.due == 0 || !isFull(of: player.engine) else {
            overloads[player.engine] = .commands
            return
        }
        let index = commands.firstIndex { $0.due > timed.due } ?? commands.endIndex
        commands.insert(timed, at: index)
    }

    /// Returns the players that are over on the board at `now`, among those that were started. Each
    /// is returned once.
    mutating func takeFinished(at now: HostTime) -> [PlayerID] {
        let played = playedTime(at: now)
        let finished = running.filter { id in
            guard let finish = players[id]?.finishTime else { return players[id] == nil }
            return finish <= played
        }
        running.subtract(finished)
        for id in abandoned.intersection(finished) {
            players[id] = nil
            abandoned.remove(id)
            commands.removeAll { $0.player == id }
        }
        return finished.sorted()
    }

    // MARK: The session

    /// Opens the stream.
    mutating func begin(_ session: inout LinkSession, at now: HostTime) {
        openings += 1
        guard openings <= Self.openingsMax else {
            failure = failure ?? .unanswered
            return
        }
        openRequest = session.send(
            .open(Open(stream: stream, actuators: actuators, memory: memory)))
        (feeder.generation, refusals) = (0, 0)
        (revisions, feeder.pending) = ([:], [])
        segment = nil
        (scale, pacer) = ((.nominal, true), nil)
        isStale = !running.isEmpty
        phase = .opening
    }

    /// Opens the stream again that the board has closed by itself, unless it does so repeatedly.
    private mutating func reopen(_ session: inout LinkSession, at now: HostTime) {
        closings = closings.filter { now - $0 < Self.closingPeriod } + [now]
        guard closings.count < Self.closingsMax else {
            failure = .closedByDevice([])
            return
        }
        begin(&session, at: now)
    }

    /// Gives the stream back, so that its actuators come to rest.
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

    /// Handles an event of the session, which may belong to another stream.
    mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, at now: HostTime
    ) {
        switch event {
        case .carriedOut(let request) where request == openRequest: phase = .open
        case .carriedOut(let request): carriedOut(request)
        case .rejected(let request, let reject) where request == openRequest:
            openRejected(reject, &session, at: now)
        case .rejected(let request, let reject):
            if let revised = revisions.removeValue(forKey: request) {
                refused(revised, reject, &session, at: now)
            } else if feeder.settle(request), phase == .open {
                refused(reject, &session, at: now)
            }
        case .outcomeUnknown(let request) where request == openRequest: begin(&session, at: now)
        case .outcomeUnknown(let request):
            // True if the message took effect is not known.
            if revisions.removeValue(forKey: request) != nil || feeder.settle(request) {
                sayAgain(&session, at: now)
            }
        case .stream(let status, _) where status.stream == stream && status.state == .closed:
            if phase == .open, segment != nil { reopen(&session, at: now) }
        case .stream(let status, _) where status.stream == stream:
            follow(status, session.clock, at: now)
            pace(&session, at: now)
        case .clockSampled: pace(&session, at: now)
        default: break
        }
        advance(&session, at: now)
    }

    private mutating func carriedOut(_ request: RequestID) {
        let isPortion = feeder.settle(request)
        let isRevision = revisions.removeValue(forKey: request) != nil
        if isRevision { firstBytes = .max }
        let isAllTaken = isRevision && feeder.pending.isEmpty && segment?.bytes.isEmpty != false
        if isPortion || isAllTaken { (openings, refusals) = (0, 0) }
    }

    /// Replaces what was refused. Opens the stream again if messages are refused repeatedly.
    private mutating func sayAgain(_ session: inout LinkSession, at now: HostTime) {
        isStale = true
        refusals += 1
        if refusals > Self.refusalsMax { begin(&session, at: now) }
    }

    /// Opens the stream without the actuator because of which it was refused, or with the event memory
    /// that there is in one piece; fails where neither helps.
    private mutating func openRejected(
        _ reject: Reject, _ session: inout LinkSession, at now: HostTime
    ) {
        if let broken = brokenActuator(reject) {
            actuators.remove(ActuatorMask(index: Int(broken)))
            openings = 0
        } else if let available = availableMemory(reject) {
            memory = available
        } else {
            failure = .rejected(reject)
            return
        }
        begin(&session, at: now)
    }

    /// The actuator that a REJECT blames, if others are left without it.
    private func brokenActuator(_ reject: Reject) -> UInt8? {
        let numbers = actuators.indices
        guard reject.code == .fault, numbers.count > 1 else { return nil }
        return numbers.first { UInt32($0) == reject.limit }
    }

    /// The event memory that a REJECT offers, if that is less than was asked for and enough.
    private func availableMemory(_ reject: Reject) -> UInt16? {
        guard reject.code == .memory, (Self.memoryMin..<Int(memory)).contains(Int(reject.limit))
        else { return nil }
        return UInt16(reject.limit)
    }

    /// Handles a refused REVISE. After a stall of the line, a REVISE can arrive together with the
    /// one before it, find that one waiting and be refused. Those that follow then have a
    /// generation that the board does not expect.
    private mutating func refused(
        _ revised: UInt8, _ reject: Reject, _ session: inout LinkSession, at now: HostTime
    ) {
        switch reject.code {
        case .pending: feeder.generation = revised &- 1
        case .credit:
            feeder.generation = revised &- 1
            firstBytes = Int(reject.limit)
        case .range: feeder.generation = UInt8(truncatingIfNeeded: reject.limit) &- 1
        default: return begin(&session, at: now)
        }
        sayAgain(&session, at: now)
    }

    /// Handles refused EVENTS or SCALE: part of the present segment is missing, or the stream was
    /// closed without a report.
    private mutating func refused(
        _ reject: Reject, _ session: inout LinkSession, at now: HostTime
    ) {
        switch reject.code {
        case .noStream: reopen(&session, at: now)
        case .credit: sayAgain(&session, at: now)
        default: break
        }
    }

    /// Does what is due: revises, feeds the board, and asks for the state of the stream.
    mutating func advance(_ session: inout LinkSession, at now: HostTime) {
        guard phase == .open, failure == nil else { return }
        segment?.rendered = 0
        carryOutUnfelt(at: now)
        if mustRevise(at: now), canRevise(session, at: now) {
            if let request = revise(&session, at: now) { revisions[request] = feeder.generation }
        }
        feed(&session, at: now)
        if let due = questionDeadline(at: now), due <= now {
            session.ask(.stream(stream))
            nextQuestionAt = now + Self.questionInterval
        }
    }

    /// Returns the host time at which `advance` has something to do even without an event; nil if
    /// there is no such time.
    func nextDeadline(_ session: LinkSession, at now: HostTime) -> HostTime? {
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
