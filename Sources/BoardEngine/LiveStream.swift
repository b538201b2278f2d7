// LiveStream: the output of one set of actuators. When players change the output, the stream
// updates the output of the board. The stream performs no I/O and has no clock: the owner passes
// the time, link events and commands to it, and messages are sent through the session.

import BridgeLink
import HapticBoards
import HapticCompiler
import HapticPatterns

/// Mixes the output of players, and keeps a stream of the board synchronized with this output.
///
/// The stream is opened once, and its event code ends whenever no player plays. When the event code
/// has ended, the actuators of the stream are at rest and the dead-man timeout is inactive, but a
/// single REVISE starts the actuators (SPEC 6). Every change is such a REVISE, which is scheduled a
/// few milliseconds ahead and contains as many event bytes as fit into one frame. EVENTS messages
/// transfer the remaining event bytes.
///
/// The owner calls `begin`, then `handle` with every event of the session. When `nextDeadline` has
/// been reached, an event has been handled or a command has been given, the owner calls
/// `carryOutUnfelt`, `advance` and, after the messages have been written, `feed`. All times are
/// host times.
struct LiveStream {
    enum Phase: Equatable {
        /// The stream was not opened, or has been closed.
        case idle
        /// OPEN has been sent and has not been answered.
        case opening
        case open
    }

    private(set) var phase = Phase.idle
    /// The reason why the board cannot play; nil if the board can play.
    private(set) var failure: PlaybackError?

    var feeder: StreamFeeder
    /// The actuators that play the stream. An actuator that fails is removed.
    private(set) var actuators: ActuatorMask
    let profile: DeviceProfile
    var players: [PlayerID: PlayerVoice] = [:]
    /// The players that were started and whose end has not been reported.
    var running: Set<PlayerID> = []
    /// The players to which no more commands can be sent. Such players are removed when they end.
    var abandoned: Set<PlayerID> = []
    /// The engines that are muted. The players of muted engines continue silently.
    var mutedEngines: Set<UInt32> = []
    /// The commands that are waiting for their time or for a message to the board, sorted by time.
    var commands: [TimedCommand] = []
    /// The engines that have exceeded a limit, with the limit that each has exceeded.
    var overloads: [UInt32: Overload] = [:]
    /// The total size of the players of each engine, which is limited.
    var loads: [UInt32: Int] = [:]
    var segment: LiveSegment?
    /// The segment that the current segment replaces, and that the board continues to play if it
    /// rejects the REVISE; nil after the board has accepted the REVISE.
    var replaced: LiveSegment?
    /// True if the events on the board are out of date.
    var isStale = false
    /// The maximum number of event bytes in a REVISE. The maximum decreases when the board rejects
    /// a longer REVISE.
    var firstBytes = Int.max

    /// The known scale of the board's ticks.
    var scale = (value: TickScale.nominal, isSure: true)
    /// The delay of the start of the last segment that the board has reported, in microseconds.
    var lateness: Microseconds = 0
    /// The host time at which the state of the stream will next be queried.
    var nextQuestionAt: HostTime = 0

    private var openRequest: RequestID?
    /// The generation of each REVISE whose outcome is unknown, by request.
    private var revisions: [RequestID: UInt8] = [:]
    /// The number of attempts to open the stream since the stream last worked.
    var openings = 0
    /// The number of messages that were rejected, or whose outcome is unknown, since the board last
    /// accepted all event bytes of a message.
    private var refusals = 0
    /// The host times at which the board closed the stream without a request, within the last
    /// ``closingPeriod``.
    private var closings: [HostTime] = []
    /// The event memory to request, in bytes; 0 requests all free memory.
    private var memory: UInt16

    /// The lead time of a change, in microseconds: the maximum transfer time of a frame to the
    /// board, plus 1.4 ms for delays on the computer and the time of ``preparation``. With several
    /// actuators, the lead also includes the time that the other actuators take to wake after the
    /// first actuator.
    var lead: Microseconds { transferLead + preparation }
    private let transferLead: Microseconds
    /// The time that the preparation of a REVISE takes, in microseconds: the maximum for recent
    /// REVISEs. Compiling a REVISE takes milliseconds if thousands of parameters are scheduled.
    private(set) var preparation: Microseconds = 0
    /// The host time at which the preparation of a REVISE began; nil after the REVISE has been
    /// written.
    var revisingSince: HostTime?
    /// The maximum of ``preparation``, in microseconds.
    private static let preparationMax: Microseconds = 10_000
    /// The lead on a serial line, in microseconds. The transfer of a frame takes 2.6 ms, and begins
    /// after the bytes that are already queued.
    private static let lineLead: Microseconds = 4_000
    /// The lead on a board with native USB, in microseconds. The transfer of a frame begins at the
    /// next boundary of USB's own frames of 1 ms.
    private static let usbLead: Microseconds = 2_500
    /// The time for which events are queued on the board, in microseconds. This time is longer than
    /// the dead-man timeout of the board.
    static let lookahead: Microseconds = 400_000
    /// The minimum event memory of a stream, in bytes. The memory must have room for the events
    /// that are playing and for the events that replace them.
    static let memoryMin = 96
    /// The event memory that is kept free, in bytes, because a REVISE needs memory in addition to
    /// the memory of the events that it replaces.
    static let reserve = 50
    /// The interval at which the credit and the line are checked, in microseconds.
    static let retryInterval: Microseconds = 1_000
    /// The maximum number of attempts to open a stream before it is considered broken.
    private static let openingsMax = 5
    /// The number of times the board must close the stream without a request within
    /// ``closingPeriod`` for the stream to be considered broken. If an actuator has a short
    /// circuit, the board closes the stream at each attempt to play.
    private static let closingsMax = 5
    private static let closingPeriod: Microseconds = 10_000_000
    /// The maximum number of messages that an open stream may reject before the stream is opened
    /// again.
    private static let refusalsMax = 20

    init(
        stream: UInt8 = 0, actuators: ActuatorMask, memory: UInt16 = 0,
        profile: DeviceProfile = .reference, on kind: BoardKind = .unknown
    ) {
        feeder = StreamFeeder(stream: stream, reserve: Self.reserve)
        self.actuators = actuators
        self.memory = memory
        transferLead =
            (kind.hasOwnUSB ? Self.usbLead : Self.lineLead)
            + Playback.wakingTime(of: actuators)
        self.profile = profile
    }

    var stream: UInt8 { feeder.stream }

    /// True if anything is playing or about to play.
    var isBusy: Bool { isBusy { _ in true } }

    /// Returns whether any of the selected players is playing or has a command that is due but has
    /// not been sent. A command that waits for its time does not change a player that has ended.
    func isBusy(_ isMeant: (PlayerID) -> Bool) -> Bool {
        running.contains(where: isMeant)
            || commands.contains { $0.due == 0 && !$0.command.isAbandon && isMeant($0.player) }
    }

    // MARK: Commands

    /// Queues a command. The command takes effect at its time, or as soon as the change can be sent
    /// to the board.
    mutating func perform(_ command: PlayerCommand, of player: PlayerID) {
        if case .stop(let time) = command {
            // Commands that were scheduled after the player's end do not apply to its next start.
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

    /// Returns the started players that have ended on the board at `now`. Each player is returned
    /// once.
    mutating func removeFinished(at now: HostTime) -> [PlayerID] {
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
        (segment, replaced) = (nil, nil)
        scale = (.nominal, true)
        isStale = !running.isEmpty
        phase = .opening
    }

    /// Opens the stream again after the board has closed it without a request, unless the board
    /// closes it repeatedly.
    private mutating func reopen(_ session: inout LinkSession, at now: HostTime) {
        closings = closings.filter { now - $0 < Self.closingPeriod } + [now]
        guard closings.count < Self.closingsMax else {
            failure = .closedByDevice([])
            return
        }
        begin(&session, at: now)
    }

    /// Closes the stream, so that its actuators come to rest.
    ///
    /// - Returns: the request that closes the stream; nil if the stream was not open.
    @discardableResult
    mutating func end(_ session: inout LinkSession) -> RequestID? {
        let request = phase == .idle ? nil : session.send(.close(stream: stream))
        phase = .idle
        (segment, replaced) = (nil, nil)
        commands = []
        return request
    }

    /// Handles an event of the session, which may belong to another stream.
    mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, at now: HostTime
    ) {
        switch event {
        case .carriedOut(let request) where request == openRequest: phase = .open
        case .carriedOut(let request): carriedOut(request, at: now)
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
            // The outcome of the message is unknown: it may have taken effect.
            if revisions.removeValue(forKey: request) != nil || feeder.settle(request) {
                segment?.isBeginningKnown = true
                resend(&session, at: now)
            }
        case .stream(let status, _) where status.stream == stream && status.state == .closed:
            if phase == .open, segment != nil { reopen(&session, at: now) }
        case .stream(let status, _) where status.stream == stream:
            follow(status, session.clock, at: now)
            if let segment, segment.start < now, !segment.isBeginningKnown {
                nextQuestionAt = now + Self.retryInterval
            }
            pace(&session, at: now)
        case .clockSampled: pace(&session, at: now)
        default: break
        }
    }

    private mutating func carriedOut(_ request: RequestID, at now: HostTime) {
        let isPortion = feeder.settle(request)
        let revised = revisions.removeValue(forKey: request)
        let isRevision = revised != nil
        if let start = segment?.start, revised == feeder.generation {
            replaced = nil
            if now > start { nextQuestionAt = now } else { segment?.recordBeginning(late: 0) }
        }
        if isRevision { firstBytes = .max }
        let isAllTaken = isRevision && feeder.pending.isEmpty && segment?.bytes.isEmpty != false
        if isPortion || isAllTaken { (openings, refusals) = (0, 0) }
    }

    /// Replaces rejected messages. Opens the stream again if messages are rejected repeatedly.
    private mutating func resend(_ session: inout LinkSession, at now: HostTime) {
        isStale = true
        refusals += 1
        if refusals > Self.refusalsMax { begin(&session, at: now) }
    }

    /// Opens the stream again after a rejection: without the actuator that caused the rejection, or
    /// with the largest available block of event memory. Records a failure if the rejection has
    /// another cause.
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

    /// Returns the actuator that a REJECT names as the cause if other actuators remain; otherwise
    /// nil.
    private func brokenActuator(_ reject: Reject) -> UInt8? {
        let numbers = actuators.indices
        guard reject.code == .fault, numbers.count > 1 else { return nil }
        return numbers.first { UInt32($0) == reject.limit }
    }

    /// Returns the event memory that a REJECT offers, if this memory is smaller than the requested
    /// memory but sufficient; otherwise nil.
    private func availableMemory(_ reject: Reject) -> UInt16? {
        guard reject.code == .memory, (Self.memoryMin..<Int(memory)).contains(Int(reject.limit))
        else { return nil }
        return UInt16(reject.limit)
    }

    /// Handles a rejected REVISE. After a stall of the line, two REVISEs can arrive together. The
    /// first is still waiting when the second arrives, so the second is rejected. The following
    /// messages then have a generation that the board does not expect.
    private mutating func refused(
        _ revised: UInt8, _ reject: Reject, _ session: inout LinkSession, at now: HostTime
    ) {
        switch reject.code {
        case .pending: keepReplaced(by: revised, at: now)
        case .credit:
            keepReplaced(by: revised, at: now)
            firstBytes = Int(reject.limit)
        case .range:
            feeder.generation = UInt8(truncatingIfNeeded: reject.limit) &- 1
            segment?.isBeginningKnown = true
        default: return begin(&session, at: now)
        }
        resend(&session, at: now)
    }

    /// Continues with the segment that the board still plays after it has rejected a REVISE.
    private mutating func keepReplaced(by revised: UInt8, at now: HostTime) {
        if revised == feeder.generation, let replaced {
            (segment, nextQuestionAt) = (replaced, now)
        } else {
            segment?.isBeginningKnown = true
        }
        replaced = nil
        feeder.generation = revised &- 1
    }

    /// Handles a rejected EVENTS or SCALE message: part of the current segment is missing, or the
    /// stream was closed without a report.
    private mutating func refused(
        _ reject: Reject, _ session: inout LinkSession, at now: HostTime
    ) {
        switch reject.code {
        case .noStream: reopen(&session, at: now)
        case .credit: resend(&session, at: now)
        default: break
        }
    }

    /// Performs the actions that are due: revises, and queries the state of the stream.
    mutating func advance(_ session: inout LinkSession, at now: HostTime) {
        guard phase == .open, failure == nil else { return }
        segment?.rendered = 0
        if mustRevise(at: now), canRevise(session, at: now) {
            if let request = revise(&session, at: now) { revisions[request] = feeder.generation }
        }
        if let due = questionDeadline(at: now), due <= now {
            session.ask(.stream(stream))
            nextQuestionAt = now + Self.questionInterval
        }
    }

    /// Records that the messages of `advance` have been written.
    mutating func recordPreparation(at now: HostTime) {
        guard let begun = revisingSince else { return }
        revisingSince = nil
        let decayed = preparation - (preparation + 31) / 32
        preparation = min(max(now - begun, decayed), Self.preparationMax)
    }

    /// Returns the host time at which `advance` must be called even without an event; nil if there
    /// is no such time.
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
