// EngineService: one engine on its board's thread, in addition to others. It does no I/O and has no
// clock.

import BridgeLink
import HapticCompiler
import Logging

/// Opens a stream for an engine, keeps it in step with the engine's players, and brings it to rest.
///
/// The owner calls `handle` with every event of the session, and calls `advance` when
/// `nextDeadline` has come or a request was made.
struct EngineService {
    private enum Stage {
        /// The clocks are being compared and the actuators asked for their status. The value holds
        /// the answers so far.
        case looking([UInt8: ActuatorStatus])
        /// OPEN has been sent.
        case opening
        case playing
        /// The board was reset, and the engine is to be started again.
        case reset
        /// STOP or CLOSE has been sent to these actuators. It is waited for until the given time.
        case stopping(RequestID, Set<UInt8>, until: HostTime)
        /// These actuators are braking, or their state is unknown.
        case settling(Set<UInt8>)
        case over(EngineReport)
    }

    let mailbox: EngineMailbox
    /// The log that the app has set.
    private(set) var logger: Logger?
    private var meter = EngineMeter()
    private var welcome: Welcome
    private let isOn: Bool
    private var stage = Stage.looking([:])
    private var live: LiveStream?
    /// The queries that have not been answered yet, with the actuator of each.
    private var questions: [RequestID: UInt8] = [:]
    /// The configurations of the actuators that are known, for which the stream is compiled.
    private var configurations: [UInt8: ActuatorConfiguration] = [:]
    /// The actuators that do not report their status.
    private var silent: Set<UInt8> = []
    /// The host time at which a start counts as failed.
    private var startEnds: HostTime
    /// The host time at which `looking` ends even without an accurate comparison of the clocks, and
    /// `settling` even without rest.
    private var patienceEnds: HostTime
    private var nextQuestionAt: HostTime = 0
    private var isMuted = false
    private var idleTimeout: Microseconds?
    /// The host time at which something last played.
    private var busyAt: HostTime

    /// The accuracy to which the clocks must be known before anything can be scheduled, in
    /// microseconds.
    private static let clockError: Microseconds = 500
    private static let clockTimeout: Microseconds = 500_000
    /// The time that a start may take, connecting included, in microseconds. Once the board has
    /// answered, at least `readyTimeout` remains.
    private static let startTimeout: Microseconds = 5_000_000
    private static let readyTimeout: Microseconds = 1_000_000
    private static let stopTimeout: Microseconds = 1_000_000

    /// Makes the service of an engine on a connected board.
    ///
    /// - Parameters:
    ///   - welcome: the board's description of itself.
    ///   - isOn: whether the user wants anything to be felt.
    init(_ mailbox: EngineMailbox, on welcome: Welcome, isOn: Bool, at now: HostTime) {
        self.mailbox = mailbox
        self.welcome = welcome
        self.isOn = isOn
        (patienceEnds, busyAt) = (now + Self.clockTimeout, now)
        startEnds = max(mailbox.begunAt + Self.startTimeout, now + Self.readyTimeout)
    }

    /// The final report to the engine, once it has ended.
    var end: EngineReport? {
        if case .over(let report) = stage { report } else { nil }
    }

    /// The profile that the stream is compiled for, once it is known.
    var profile: DeviceProfile? { live?.profile }

    /// Whether the engine is playing or about to play.
    private var isFelt: Bool {
        switch stage {
        case .looking, .opening, .playing: mailbox.locality != nil
        case .reset, .stopping, .settling, .over: false
        }
    }

    // MARK: The session

    /// Does what is due and handles requests.
    ///
    /// - Parameter others: the other engines on the board.
    mutating func advance(
        _ session: inout LinkSession, at now: HostTime, beside others: [Self]
    ) {
        if mailbox.givesWay, others.contains(where: { !$0.mailbox.givesWay && $0.isFelt }) {
            mailbox.tell(.outranked)
        }
        for request in mailbox.takeRequests() {
            take(request, &session, at: now, isAlone: others.isEmpty)
        }
        live?.advance(&session, at: now)
        switch stage {
        case .looking where now >= startEnds, .opening where now >= startEnds:
            live?.end(&session)
            stage = .over(
                .failed(HapticError(.engineStartTimeout, "the board does not become ready")))
        case .stopping(_, let actuators, let end) where now >= end: settle(actuators, at: now)
        case .looking(let answers):
            let all = Set(0..<welcome.actuators).subtracting(silent)
            ask(all.subtracting(answers.keys), &session, at: now)
            let statuses = answers.sorted { $0.key < $1.key }.map(\.value)
            if answers.count < all.count {
                break
            } else if let locality = mailbox.locality {
                let known = Set(statuses.filter { $0.kind != .none }.map(\.actuator))
                    .subtracting(silent).subtracting(configurations.keys)
                if !known.isEmpty {
                    ask(known, &session, at: now) { .configuration(actuator: $0) }
                    break
                }
                guard isClockGood(session, at: now) else { break }
                open(statuses, at: locality, &session, at: now, beside: others)
            } else {
                stage = .over(.surveyed(statuses))
            }
        case .opening where live?.phase == .open:
            stage = .playing
            busyAt = now
            // The answer gives the values from which the board's counters are counted.
            session.ask(.status)
            mailbox.tell(.started(live!.profile))
        case .settling(let actuators):
            if actuators.isEmpty || now >= patienceEnds {
                stage = .over(.stopped)
            } else {
                ask(actuators, &session, at: now)
            }
        default: break
        }
        follow(&session, at: now)
    }

    /// Handles an event of the session, which may belong to another engine.
    mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, at now: HostTime
    ) {
        live?.handle(event, &session, at: now)
        for report in meter.note(event, session, live, at: now) { mailbox.tell(report) }
        switch (stage, event) {
        case (_, .unanswered(let request)): questions[request] = nil
        case (_, .rejected(let request, _)) where questions[request] != nil:
            refused(questions.removeValue(forKey: request)!)
        case (.looking(var answers), .actuator(let status, let request)):
            answered(request, at: now)
            // An actuator that is being set up is asked again, because its capabilities are not
            // known yet.
            if status.state != .starting || now >= patienceEnds {
                answers[status.actuator] = status
            }
            stage = .looking(answers)
        case (.looking, .configuration(let answer, let request)):
            if let request, questions.removeValue(forKey: request) != nil {
                configurations[answer.actuator] = answer.configuration
            }
        case (.settling(var actuators), .actuator(let status, let request)):
            answered(request, at: now)
            if status.isSettled { actuators.remove(status.actuator) }
            stage = .settling(actuators)
        case (.stopping(let request, let actuators, _), _) where event.ends(request):
            settle(actuators, at: now)
        default: break
        }
    }

    private mutating func settle(_ actuators: Set<UInt8>, at now: HostTime) {
        (questions, nextQuestionAt) = ([:], now)
        patienceEnds = now + HapticBoard.settleTimeout
        stage = .settling(actuators)
    }

    /// Handles an actuator that does not report its status, so that nothing more can be learnt
    /// about it.
    private mutating func refused(_ actuator: UInt8) {
        silent.insert(actuator)
        if case .settling(var actuators) = stage {
            actuators.remove(actuator)
            stage = .settling(actuators)
        }
    }

    /// Returns the host time at which `advance` has something to do even without an event; nil if
    /// there is no such time.
    func nextDeadline(_ session: LinkSession, at now: HostTime) -> HostTime? {
        switch stage {
        case .looking, .settling:
            [patienceEnds, nextQuestionAt].filter { $0 > now }.min()
        case .opening, .playing: live?.nextDeadline(session, at: now)
        case .stopping(_, _, let end): end
        case .reset: nil
        case .over: now
        }
    }

    /// Handles the end of the session. Nothing from before is part of the new session.
    mutating func boardWasReset(_ welcome: Welcome, at now: HostTime) {
        self.welcome = welcome
        (live, questions) = (nil, [:])
        meter = EngineMeter()
        switch stage {
        case .looking, .opening: look(at: now)
        case .playing, .reset:
            stage = .reset
            mailbox.tell(.reset)
        case .stopping, .settling: stage = .over(.stopped)
        case .over: break
        }
    }

    /// Ends the engine on a board that has no session, so that nothing has to be brought to rest.
    mutating func boardIsAtRest() { stage = .over(.stopped) }

    /// Handles the loss of the board.
    mutating func lose(_ error: HapticError) {
        switch stage {
        case .looking, .opening: stage = .over(.failed(error))
        case .playing, .reset: stage = .over(.lost(error))
        case .stopping, .settling: stage = .over(.stopped)
        case .over: break
        }
    }

    // MARK: Starting

    private mutating func look(at now: HostTime) {
        stage = .looking([:])
        configurations = [:]
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
            questions[session.ask(question(actuator))] = actuator
        }
    }

    private mutating func answered(_ question: RequestID?, at now: HostTime) {
        if let question, questions.removeValue(forKey: question) != nil {
            nextQuestionAt = now + HapticBoard.askInterval
        }
    }

    private mutating func open(
        _ statuses: [ActuatorStatus], at locality: HapticLocality, _ session: inout LinkSession,
        at now: HostTime, beside others: [Self]
    ) {
        do {
            let mask = try locality.mask(of: statuses)
            let share = try StreamShare(of: mask, on: welcome, beside: others.compactMap(\.live))
            let played = mask.indices.compactMap { configurations[$0] }
            live = LiveStream(
                stream: share.stream, actuators: mask, memory: share.memory,
                profile: DeviceProfile(of: played) ?? .reference, on: welcome.kind)
            mute(&session)
            live!.begin(&session, at: now)
            stage = .opening
        } catch {
            stage = .over(.failed(HapticError(opening: error)))
        }
    }

    // MARK: Playing

    private func mute(_ session: inout LinkSession) {
        guard let live else { return }
        session.mute(live.actuators, isMuted || !isOn)
    }

    private mutating func take(
        _ request: EngineRequest, _ session: inout LinkSession, at now: HostTime, isAlone: Bool
    ) {
        switch request {
        case .perform(let command, let player): live?.perform(command, of: player)
        case .mute(let isMuted):
            self.isMuted = isMuted
            mute(&session)
        case .shutDown(let timeout): idleTimeout = timeout
        case .log(let logger): self.logger = logger
        case .restart:
            guard case .reset = stage else { break }
            startEnds = now + Self.startTimeout
            look(at: now)
        case .stop: stop(&session, at: now, isAlone: isAlone)
        }
    }

    /// Checks the progress of the stream and reports it.
    private mutating func follow(_ session: inout LinkSession, at now: HostTime) {
        guard live != nil else { return }
        if let failure = live!.failure {
            live!.end(&session)
            if case .opening = stage {
                stage = .over(.failed(HapticError(opening: failure)))
            } else {
                lose(HapticError(connecting: failure))
            }
            return
        }
        if live!.isBusy { busyAt = now }
        let finished = live!.takeFinished(at: now)
        if !finished.isEmpty { mailbox.tell(.finished(finished)) }
        if case .playing = stage, !live!.isBusy, let idleTimeout, now - busyAt >= idleTimeout {
            busyAt = now
            mailbox.tell(.idle)
        }
    }

    // MARK: Stopping

    /// Brings everything to rest at once.
    private mutating func stop(
        _ session: inout LinkSession, at now: HostTime, isAlone: Bool
    ) {
        switch stage {
        case .stopping, .settling, .over: break
        case .looking, .opening, .playing, .reset:
            let end = now + Self.stopTimeout
            if isAlone {
                let all = Set(0..<welcome.actuators)
                stage = .stopping(session.stop(), all, until: end)
            } else if let live, let request = self.live?.end(&session) {
                stage = .stopping(request, Set(live.actuators.indices), until: end)
            } else {
                stage = .over(.stopped)
            }
            live = nil
        }
    }
}

extension LinkEvent {
    /// Whether the event is the outcome of a given STOP or command.
    fileprivate func ends(_ request: RequestID) -> Bool {
        switch self {
        case .stopped(request), .carriedOut(request), .rejected(request, _), .dropped(request),
            .outcomeUnknown(request):
            true
        default: false
        }
    }
}
