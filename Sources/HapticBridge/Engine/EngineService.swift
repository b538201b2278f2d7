// EngineService: one engine on its board's thread, beside others. No I/O and no clock.

import BridgeLink
import HapticCompiler
import Logging

/// Opens a stream for an engine, keeps it in step with the engine's players, and brings it to rest.
///
/// Its owner calls `handle` with every event of the session, and `advance` when `nextDeadline` has
/// come or a request was left.
struct EngineService {
    private enum Stage {
        /// The clocks are compared and the actuators asked what they are; these have answered.
        case looking([UInt8: ActuatorStatus])
        /// OPEN is on its way.
        case opening
        case playing
        /// The board was reset; the engine is to be started anew.
        case reset
        /// STOP or CLOSE is on its way to these actuators, until a time.
        case stopping(RequestID, Set<UInt8>, until: Microseconds)
        /// These actuators brake, or nobody knows.
        case settling(Set<UInt8>)
        case over(EngineReport)
    }

    let mailbox: EngineMailbox
    /// The log that the app gave.
    private(set) var logger: Logger?
    private var meter = EngineMeter()
    private var welcome: Welcome
    private let isOn: Bool
    private var stage = Stage.looking([:])
    private var live: LiveStream?
    /// Questions that were not answered yet, and to which actuators.
    private var questions: [RequestID: UInt8] = [:]
    /// Actuators that do not tell what they are.
    private var silent: Set<UInt8> = []
    /// When a start has failed.
    private var startEnds: Microseconds
    /// When `looking` ends without good clocks, and `settling` without rest.
    private var patienceEnds: Microseconds
    private var nextQuestionAt: Microseconds = 0
    private var isMuted = false
    private var idleTimeout: Microseconds?
    /// When something played last.
    private var busyAt: Microseconds

    /// Until the clocks are known as well as this, nothing can be dated.
    private static let clockError: Microseconds = 500
    private static let clockTimeout: Microseconds = 500_000
    /// How long a start may take, connecting included; what is left of it when the board has answered
    /// is this much at least.
    private static let startTimeout: Microseconds = 5_000_000
    private static let readyTimeout: Microseconds = 1_000_000
    private static let stopTimeout: Microseconds = 1_000_000

    /// - Parameters:
    ///   - welcome: what the board said of itself.
    ///   - isOn: whether the user wants anything to be felt.
    init(_ mailbox: EngineMailbox, on welcome: Welcome, isOn: Bool, at now: Microseconds) {
        self.mailbox = mailbox
        self.welcome = welcome
        self.isOn = isOn
        (patienceEnds, busyAt) = (now + Self.clockTimeout, now)
        startEnds = max(mailbox.begunAt + Self.startTimeout, now + Self.readyTimeout)
    }

    /// What the engine is to be told at its end, once that has come.
    var end: EngineReport? {
        if case .over(let report) = stage { report } else { nil }
    }

    /// What the stream is compiled for, once it is known.
    var profile: DeviceProfile? { live?.profile }

    /// Whether it plays or is about to.
    private var isFelt: Bool {
        switch stage {
        case .looking, .opening, .playing: mailbox.locality != nil
        case .reset, .stopping, .settling, .over: false
        }
    }

    // MARK: The session

    /// Does what is due and what was asked for.
    ///
    /// - Parameter others: the other engines on the board.
    mutating func advance(
        _ session: inout LinkSession, at now: Microseconds, beside others: [Self]
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
            stage = .over(.failed(HapticError(.engineStartTimeout, "the board does not get ready")))
        case .stopping(_, let actuators, let end) where now >= end: settle(actuators, at: now)
        case .looking(let answers):
            let all = Set(0..<welcome.actuators).subtracting(silent)
            ask(all.subtracting(answers.keys), &session, at: now)
            let statuses = answers.sorted { $0.key < $1.key }.map(\.value)
            if answers.count < all.count {
                break
            } else if let locality = mailbox.locality {
                guard isClockGood(session, at: now) else { break }
                open(statuses, at: locality, &session, at: now, beside: others)
            } else {
                stage = .over(.surveyed(statuses))
            }
        case .opening where live?.phase == .open:
            stage = .playing
            busyAt = now
            // The counters of the board begin with this answer.
            session.ask(.status)
            mailbox.tell(.started)
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

    /// Takes an event of the session, which may be another engine's.
    mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, at now: Microseconds
    ) {
        live?.handle(event, &session, at: now)
        for report in meter.note(event, session, live, at: now) { mailbox.tell(report) }
        switch (stage, event) {
        case (_, .unanswered(let request)): questions[request] = nil
        case (_, .rejected(let request, _)) where questions[request] != nil:
            refused(questions.removeValue(forKey: request)!)
        case (.looking(var answers), .actuator(let status, let request)):
            answered(request, at: now)
            // One that is being set up is asked again: what it will be able to do is not known yet.
            if status.state != .starting || now >= patienceEnds {
                answers[status.actuator] = status
            }
            stage = .looking(answers)
        case (.settling(var actuators), .actuator(let status, let request)):
            answered(request, at: now)
            if status.isSettled { actuators.remove(status.actuator) }
            stage = .settling(actuators)
        case (.stopping(let request, let actuators, _), _) where event.ends(request):
            settle(actuators, at: now)
        default: break
        }
    }

    private mutating func settle(_ actuators: Set<UInt8>, at now: Microseconds) {
        (questions, nextQuestionAt) = ([:], now)
        patienceEnds = now + HapticBoard.settleTimeout
        stage = .settling(actuators)
    }

    /// An actuator does not tell what it is: nothing more is to be learnt of it.
    private mutating func refused(_ actuator: UInt8) {
        silent.insert(actuator)
        if case .settling(var actuators) = stage {
            actuators.remove(actuator)
            stage = .settling(actuators)
        }
    }

    /// When `advance` has something to do by itself.
    func nextDeadline(_ session: LinkSession, at now: Microseconds) -> Microseconds? {
        switch stage {
        case .looking, .settling:
            [patienceEnds, nextQuestionAt].filter { $0 > now }.min()
        case .opening, .playing: live?.nextDeadline(session, at: now)
        case .stopping(_, _, let end): end
        case .reset: nil
        case .over: now
        }
    }

    /// The session is over; nothing from before is in the new one.
    mutating func boardWasReset(_ welcome: Welcome, at now: Microseconds) {
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

    /// The board has no session, so that there is nothing to bring to rest.
    mutating func boardIsAtRest() { stage = .over(.stopped) }

    /// The board is gone.
    mutating func lose(_ error: HapticError) {
        switch stage {
        case .looking, .opening: stage = .over(.failed(error))
        case .playing, .reset: stage = .over(.lost(error))
        case .stopping, .settling: stage = .over(.stopped)
        case .over: break
        }
    }

    // MARK: Starting

    private mutating func look(at now: Microseconds) {
        stage = .looking([:])
        patienceEnds = now + Self.clockTimeout
    }

    private func isClockGood(_ session: LinkSession, at now: Microseconds) -> Bool {
        let bound = session.clock.deviceTime(at: now)?.errorBound ?? .max
        return bound <= Self.clockError || now >= patienceEnds
    }

    private mutating func ask(
        _ actuators: Set<UInt8>, _ session: inout LinkSession, at now: Microseconds
    ) {
        guard questions.isEmpty, now >= nextQuestionAt else { return }
        for actuator in actuators.sorted() {
            questions[session.ask(.actuator(actuator))] = actuator
        }
    }

    private mutating func answered(_ question: RequestID?, at now: Microseconds) {
        if let question, questions.removeValue(forKey: question) != nil {
            nextQuestionAt = now + HapticBoard.askInterval
        }
    }

    private mutating func open(
        _ statuses: [ActuatorStatus], at locality: HapticLocality, _ session: inout LinkSession,
        at now: Microseconds, beside others: [Self]
    ) {
        do {
            let mask = try locality.mask(of: statuses)
            let stream = try stream(for: mask, beside: others)
            let played = statuses.filter {
                mask.contains(ActuatorMask(index: Int($0.actuator)))
            }
            live = LiveStream(
                stream: stream, actuators: mask, memory: memory(for: mask),
                profile: DeviceProfile(of: played))
            mute(&session)
            live!.begin(&session, at: now)
            stage = .opening
        } catch {
            stage = .over(.failed(HapticError(opening: error)))
        }
    }

    /// A stream that nobody uses, if nobody uses the actuators.
    private func stream(
        for mask: ActuatorMask, beside others: [Self]
    ) throws(HapticError) -> UInt8 {
        let open = others.compactMap(\.live)
        if let shared = open.lazy.map({ mask.intersection($0.actuators) }).first(where: {
            !$0.isEmpty
        }) {
            throw HapticError(
                .serverInitFailed,
                "actuator \(shared.indices[0]) is in use by another engine of this program; stop that, "
                    + "or play on one engine")
        }
        let streams = 0..<welcome.streams
        guard let free = streams.first(where: { number in !open.contains { $0.stream == number } })
        else {
            throw HapticError(
                .serverInitFailed,
                "the board is in use by another engine of this program, and plays for "
                    + "\(streams.count) at once; stop that, or play on one engine")
        }
        return free
    }

    /// As large a part of the event memory as of the actuators, and no more than leaves enough for a
    /// stream of each of the others.
    private func memory(for mask: ActuatorMask) -> UInt16 {
        let (own, all) = (mask.indices.count, Int(welcome.actuators))
        let total = Int(welcome.eventMemory)
        let share = min(total * own / all, total - (all - own) * LiveStream.memoryMin)
        return UInt16(max(share, LiveStream.memoryMin))
    }

    // MARK: Playing

    private func mute(_ session: inout LinkSession) {
        guard let live else { return }
        session.mute(live.actuators, isMuted || !isOn)
    }

    private mutating func take(
        _ request: EngineRequest, _ session: inout LinkSession, at now: Microseconds, isAlone: Bool
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

    /// Sees what has become of the stream.
    private mutating func follow(_ session: inout LinkSession, at now: Microseconds) {
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

    /// Everything comes to rest at once.
    private mutating func stop(
        _ session: inout LinkSession, at now: Microseconds, isAlone: Bool
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
    /// Whether it says what became of a STOP or a command.
    fileprivate func ends(_ request: RequestID) -> Bool {
        switch self {
        case .stopped(request), .carriedOut(request), .rejected(request, _), .dropped(request),
            .verdictLost(request):
            true
        default: false
        }
    }
}

extension HapticError {
    /// Why a board that answered cannot play.
    fileprivate init(opening error: any Error) {
        switch error {
        case PlaybackError.rejected(let reject) where reject.code == .unconfigured:
            self.init(
                .notSupported,
                "the actuator is not configured; `bridge actuator set` tells the board what it is")
        case let error as PlaybackError: self.init(.notSupported, "\(error)")
        case let error as LocalityError: self.init(.notSupported, "\(error)")
        default: self.init(connecting: error)
        }
    }
}
