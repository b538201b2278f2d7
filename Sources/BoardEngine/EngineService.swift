// EngineService: serves one engine on its board's thread. The service performs no I/O and has no clock.

import BridgeLink
import HapticBoards
import HapticCompiler
import Logging

/// Plays an engine on the streams of its board, and brings the output of the engine to rest.
///
/// The owner calls `handle` with every event of the session, after the streams have handled the
/// event. As soon as `nextDeadline` has been reached or a request has been posted, the owner calls
/// `advance`, advances the streams, and calls `follow`.
struct EngineService {
    enum Stage {
        /// The clocks are being compared and the status of the actuators is being queried. The
        /// value contains the answers received so far.
        case preparing([UInt8: ActuatorStatus])
        /// The engine's streams are being opened.
        case opening
        case playing
        /// The board was reset, and the engine must be started again.
        case reset
        /// The mailbox does not belong to an engine, but to the service for other programs.
        case serving
        /// The engine is being stopped. The players of the engine have ended, but the last tap of
        /// the players continues until the given time.
        case ending(HostTime)
        /// The engine has left its streams and waits until its output has ended, but not longer
        /// than until the given time.
        case stopping(BoardStreams.PendingLeave, until: HostTime)
        /// The given actuators are braking, or the state of these actuators is unknown.
        case settling(Set<UInt8>)
        /// The engine cannot play because of an error. Until the given time, the service waits for
        /// the board's report of its faults, which may be the cause of the error.
        case failing(any Error, isStart: Bool, until: HostTime)
        case over(EngineReport)
    }

    let mailbox: EngineMailbox
    /// The log that the app has set.
    private(set) var logger: Logger?
    private var meter = EngineMeter()
    private(set) var welcome: Welcome
    var stage = Stage.preparing([:])
    /// The queries that have not been answered, each with the actuator that it concerns.
    private var questions: [RequestID: UInt8] = [:]
    /// The known configurations of the actuators. Streams are compiled for these configurations.
    private var configurations: [UInt8: ActuatorConfiguration] = [:]
    /// The actuators of the board, as they were when the engine was started.
    private var statuses: [ActuatorStatus] = []
    /// The accelerometer of the board; nil if the board has not reported any.
    private var sensor: SensorKind?
    /// The actuators for which the board has rejected a query.
    private var silent: Set<UInt8> = []
    /// The host time at which a start times out.
    private var startEnds: HostTime
    /// The host time at which `preparing` ends even if the clock comparison is inaccurate or an
    /// actuator is being set up, and `settling` ends even if actuators are not at rest.
    private var patienceEnds: HostTime
    private var nextQuestionAt: HostTime = 0
    /// The new faults, and the host time at which they are reported; nil if there are no new
    /// faults.
    private var latest: (faults: Faults, reportTime: HostTime)?
    private var isMuted = false
    private var idleTimeout: Microseconds?
    /// The host time at which a player was last playing.
    private var busyAt: HostTime

    /// The maximum error of the clock comparison for opening the streams, in microseconds. After
    /// `clockTimeout`, the streams are opened regardless of the error.
    private static let clockError: Microseconds = 500
    private static let clockTimeout: Microseconds = 500_000
    /// The timeout of a start, including the connection, in microseconds. At least `readyTimeout`
    /// remains after the board has answered.
    private static let startTimeout: Microseconds = 5_000_000
    private static let readyTimeout: Microseconds = 1_000_000
    /// The reporting delay of new faults, in microseconds. Because of this delay, a fault that ends
    /// the engine is reported only once, as the reason for its end.
    private static let faultsDelay: Microseconds = 500_000

    /// The maximum number of requests of another program that are handled in one turn.
    package static let requestsOfTurn = 32
    /// The interval between two turns while requests of another program wait, in microseconds.
    private static let turnInterval: Microseconds = 1_000
    private static let commandsMax = 128

    /// Creates the service that serves an engine on a connected board.
    ///
    /// - Parameter welcome: the WELCOME message from the board.
    init(_ mailbox: EngineMailbox, on welcome: Welcome, at now: HostTime) {
        self.mailbox = mailbox
        self.welcome = welcome
        (patienceEnds, busyAt) = (now + Self.clockTimeout, now)
        if mailbox.isForAll { stage = .serving }
        startEnds = max(mailbox.begunAt + Self.startTimeout, now + Self.readyTimeout)
    }

    var number: UInt32 { mailbox.number }

    /// Returns whether any player of the engine is playing or about to play.
    func isPlaying(on streams: BoardStreams) -> Bool {
        if case .playing = stage { streams.isBusy(with: number) } else { false }
    }

    // MARK: The session

    /// Handles requests and performs the actions that are due.
    ///
    /// - Parameter isAlone: true if no other engine uses the board.
    mutating func advance(
        _ session: inout LinkSession, _ streams: inout BoardStreams, at now: HostTime,
        isAlone: Bool
    ) {
        for request in requests(streams) {
            handle(request, &session, &streams, at: now, isAlone: isAlone)
        }
        if let latest, now >= latest.reportTime {
            self.latest = nil
            mailbox.report(.faults(latest.faults))
        }
        switch stage {
        case .preparing where now >= startEnds, .opening where now >= startEnds:
            _ = streams.leave(number, &session)
            stage = .over(
                .failed(HapticError(.engineStartTimeout, "the board did not become ready in time")))
        case .preparing(let answers): prepare(with: answers, &session, &streams, at: now)
        case .opening where streams.areOpen(for: number):
            stage = .playing
            busyAt = now
            // The answer to this query contains the initial values of the board's counters.
            session.ask(.status)
            let playing = streams.first(of: number)!.actuators.indices
            let known = playing.compactMap { configurations[$0] }
            mailbox.report(.started(StartedBoard(welcome, statuses, known, sensor: sensor)))
        case .ending(let end) where now >= end:
            stop(&session, &streams, at: now, isAlone: isAlone)
        case .stopping(let pending, let end):
            let isLeft =
                pending.closeRequests.isEmpty && streams.areUpToDate(pending.shared, at: now)
            if isLeft || now >= end { settle(pending.actuators, at: now) }
        case .settling(let actuators):
            if actuators.isEmpty || now >= patienceEnds {
                stage = .over(.stopped)
            } else {
                ask(actuators, &session, at: now)
            }
        case .failing(let error, let isStart, let end) where now >= end:
            fail(error, [], isStart: isStart)
        case .opening, .playing, .ending, .serving, .reset, .failing, .over: break
        }
    }

    /// Removes and returns the requests of this turn. If another program has many commands that
    /// have not been carried out, its requests wait, so that the program cannot delay the other
    /// engines.
    private func requests(_ streams: BoardStreams) -> [EngineRequest] {
        guard mailbox.program != nil else { return mailbox.removeRequests() }
        guard streams.waitingCommands(of: number) < Self.commandsMax else { return [] }
        return mailbox.removeRequests(atMost: Self.requestsOfTurn)
    }

    /// Queries the state that must be known before anything is played, and then opens the streams.
    private mutating func prepare(
        with answers: [UInt8: ActuatorStatus], _ session: inout LinkSession,
        _ streams: inout BoardStreams, at now: HostTime
    ) {
        let all = Set(0..<welcome.actuators).subtracting(silent)
        ask(all.subtracting(answers.keys), &session, at: now)
        guard answers.count >= all.count else { return }
        statuses = answers.sorted { $0.key < $1.key }.map(\.value)
        guard case .engine(let locality) = mailbox.purpose else {
            stage = .over(.surveyed(statuses))
            return
        }
        let known = Set(statuses.filter { $0.kind != .none }.map(\.actuator))
            .subtracting(silent).subtracting(configurations.keys)
        if !known.isEmpty {
            ask(known, &session, at: now) { .configuration(actuator: $0) }
        } else if isClockGood(session, at: now) {
            open(at: locality, &session, &streams, at: now)
        }
    }

    /// Handles an event of the session. The event may belong to another engine.
    mutating func handle(
        _ event: LinkEvent, _ session: LinkSession, _ streams: BoardStreams, at now: HostTime
    ) {
        let live = streams.first(of: number)
        for report in meter.update(
            event, session, live, isPlaying: streams.isBusy(with: number), at: now)
        {
            if case .faults(let faults) = report {
                latest = (faults, now + Self.faultsDelay)
            } else {
                mailbox.report(report)
            }
        }
        switch (stage, event) {
        case (_, .unanswered(let request)): questions[request] = nil
        case (_, .sensor(let state, _)): sensor = state.kind
        case (_, .rejected(let request, _)) where questions[request] != nil:
            refused(questions.removeValue(forKey: request)!)
        case (.preparing(var answers), .actuator(let status, let request)):
            answered(request, at: now)
            // An actuator that is being set up is queried again, because its capabilities are not
            // known yet.
            if status.state != .starting || now >= patienceEnds {
                answers[status.actuator] = status
            }
            stage = .preparing(answers)
        case (.failing(let error, let isStart, _), .status(let status, _)):
            fail(error, status.faults, isStart: isStart)
        case (.preparing, .configuration(let answer, let request)):
            if let request, questions.removeValue(forKey: request) != nil {
                configurations[answer.actuator] = answer.configuration
            }
        case (.settling(var actuators), .actuator(let status, let request)):
            answered(request, at: now)
            if status.isSettled { actuators.remove(status.actuator) }
            stage = .settling(actuators)
        case (.stopping(var pending, let end), _):
            pending.closeRequests = pending.closeRequests.filter { !event.ends($0) }
            stage = .stopping(pending, until: end)
        default: break
        }
    }

    private mutating func settle(_ actuators: Set<UInt8>, at now: HostTime) {
        (questions, nextQuestionAt) = ([:], now)
        patienceEnds = now + HapticBoard.settleTimeout
        stage = .settling(actuators)
    }

    /// Handles a rejected query about an actuator. The actuator is not queried again.
    private mutating func refused(_ actuator: UInt8) {
        silent.insert(actuator)
        if case .settling(var actuators) = stage {
            actuators.remove(actuator)
            stage = .settling(actuators)
        }
    }

    /// Returns the host time at which `advance` must be called even without an event; nil if there
    /// is no such time.
    func nextDeadline(at now: HostTime) -> HostTime? {
        let next = [nextDeadline(ofStageAt: now), latest?.reportTime].compactMap(\.self).min()
        guard mailbox.program != nil, mailbox.posts > 0 else { return next }
        return min(next ?? .never, now + Self.turnInterval)
    }

    private func nextDeadline(ofStageAt now: HostTime) -> HostTime? {
        switch stage {
        case .preparing, .settling:
            [patienceEnds, nextQuestionAt].filter { $0 > now }.min()
        case .stopping(let pending, let end):
            pending.closeRequests.isEmpty ? now + HapticBoard.askInterval : end
        case .playing: mailbox.silentAt.flatMap { $0 > now ? $0 : nil }
        case .serving: idleTimeout.map { busyAt + $0 }
        case .ending(let end), .failing(_, _, let end): end
        case .opening, .reset: nil
        case .over: now
        }
    }

    /// Handles a reset of the board. The reset has ended the session, and no state is carried over
    /// to the new session.
    mutating func boardWasReset(_ welcome: Welcome, at now: HostTime) {
        self.welcome = welcome
        questions = [:]
        meter = EngineMeter()
        switch stage {
        case .preparing, .opening: beginPreparing(at: now)
        case .playing, .reset:
            stage = .reset
            mailbox.report(.reset)
        case .ending, .stopping, .settling: stage = .over(.stopped)
        case .failing(let error, let isStart, _): fail(error, [], isStart: isStart)
        case .serving, .over: break
        }
    }

    // MARK: Starting

    private mutating func beginPreparing(at now: HostTime) {
        stage = .preparing([:])
        (configurations, sensor) = ([:], nil)
        patienceEnds = now + Self.clockTimeout
    }

    private func isClockGood(_ session: LinkSession, at now: HostTime) -> Bool {
        let bound = session.clock.deviceTime(at: now)?.errorBound ?? .max
        return bound <= Self.clockError || now >= patienceEnds
    }

    private mutating func ask(
        _ actuators: Set<UInt8>, _ session: inout LinkSession, at now: HostTime,
        _ question: (UInt8) -> Query = { .actuator($0) }
    ) {
        guard questions.isEmpty, now >= nextQuestionAt else { return }
        for actuator in actuators.sorted() {
            questions[session.askOnce(question(actuator))] = actuator
        }
    }

    private mutating func answered(_ question: RequestID?, at now: HostTime) {
        if let question, questions.removeValue(forKey: question) != nil {
            nextQuestionAt = now + HapticBoard.askInterval
        }
    }

    private mutating func open(
        at locality: HapticLocality, _ session: inout LinkSession,
        _ streams: inout BoardStreams, at now: HostTime
    ) {
        do {
            let mask = try locality.mask(of: statuses)
            // The answers to these queries arrive before the engine has started. The board's faults
            // are then known and explain why an actuator cannot play. WELCOME does not show an
            // accelerometer that the board has found later, when its actuators were set up.
            session.ask(.status)
            session.ask(.sensor)
            try streams.join(number, on: mask, configurations, of: welcome, &session, at: now)
            streams.setMuted(number, isMuted)
            stage = .opening
        } catch {
            fail(error, isStart: true, &session, at: now)
        }
    }

    // MARK: Playing

    private mutating func handle(
        _ request: EngineRequest, _ session: inout LinkSession, _ streams: inout BoardStreams,
        at now: HostTime, isAlone: Bool
    ) {
        switch request {
        case .perform(let command, let player):
            streams.perform(command, of: PlayerID(engine: number, number: player.number))
        case .mute(let isMuted):
            self.isMuted = isMuted
            streams.setMuted(number, isMuted)
        case .shutDown(let timeout): idleTimeout = timeout
        case .log(let logger): self.logger = logger
        case .frames: break
        case .restart:
            guard case .reset = stage else { break }
            startEnds = now + Self.startTimeout
            beginPreparing(at: now)
        case .stop: stopWasRequested(&session, &streams, at: now, isAlone: isAlone)
        }
    }

    /// Checks the progress of the engine's streams and sends the resulting reports.
    ///
    /// - Parameters:
    ///   - finished: the players of the engine that have ended.
    ///   - isAlone: true if no other engine uses the board.
    mutating func follow(
        _ session: inout LinkSession, _ streams: inout BoardStreams, finished: [PlayerID],
        at now: HostTime, isAlone: Bool
    ) {
        if let failure = streams.failure(of: number) {
            _ = streams.leave(number, &session)
            let isStart = if case .opening = stage { true } else { false }
            return fail(failure, isStart: isStart, &session, at: now)
        }
        if !finished.isEmpty {
            // The answer to this query updates the statistics, which then include the players that
            // have just ended.
            session.ask(.status)
            mailbox.report(.finished(finished.map { PlayerID(number: $0.number) }))
        }
        if let overload = streams.overload(by: number) {
            _ = streams.leave(number, &session)
            lose(HapticError(.memoryError, overload.reason))
            return
        }
        let isBusy = streams.isBusy(with: number)
        if case .playing = stage, isBusy, let silentAt = mailbox.silentAt, silentAt <= now {
            _ = streams.leave(number, &session)
            lose(
                HapticError(
                    .serverInterrupted,
                    "for 0.25 s, the program has sent nothing, or has sent faster than its messages "
                        + "can be handled"))
            return
        }
        switch stage {
        case .playing where !isBusy: break
        case .serving where isAlone: break
        default:
            busyAt = now
            return
        }
        if let idleTimeout, now - busyAt >= idleTimeout {
            busyAt = now
            mailbox.report(.idle)
        }
    }
}
