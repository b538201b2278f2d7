// The steps of a playback: filling event memory, starting, following, and coming to rest.

import CBridgeProtocol

extension Playback {
    // MARK: Filling event memory

    /// Hands over event bytes as far as both credits reach, and starts when memory is full.
    mutating func feed(_ session: inout LinkSession, at now: Microseconds) {
        guard [.loading, .starting, .playing].contains(phase) else { return }
        // Behind the bytes of a full memory it could be late on a bad line.
        if phase == .loading, session.isLineBad { startWhenReady(&session, at: now) }
        while session.isWindowClear, let bytes = nextPortion(session) {
            portions.insert(session.send(.events(Events(stream: stream, bytes: bytes))))
            progress.bytesSent += bytes.count
        }
        if phase == .loading { startWhenReady(&session, at: now) }
        if phase == .playing {
            noteCredit(session, at: now)
            nextDeadline = nextQuestionAt
        }
    }

    /// Credit is told as event memory is freed. It is asked for when that takes much longer than
    /// before, as what told it may be lost.
    private mutating func noteCredit(_ session: LinkSession, at now: Microseconds) {
        let limit = progress.bytesSent + session.eventCredit(stream: stream)
        guard limit > credit.limit else { return }
        credit.limit = limit
        awaitCredit(for: 2 * (now - credit.grownAt), at: now)
        credit.grownAt = now
    }

    private mutating func awaitCredit(for patience: Microseconds, at now: Microseconds) {
        let range = Self.creditPatience
        credit.patience = min(max(patience, range.lowerBound), range.upperBound)
        credit.questionAt = now + credit.patience
    }

    private var nextQuestionAt: Microseconds {
        isAllSent ? positionQuestionAt : min(positionQuestionAt, credit.questionAt)
    }

    private static let creditPatience: ClosedRange<Microseconds> = 40_000...500_000
    /// A stream tells when it ends: it is asked in case that is lost.
    private static let positionInterval: Microseconds = .milliseconds(500)
    /// The same while a change of the scale is to take effect.
    private static let changeInterval: Microseconds = .milliseconds(80)
    /// The device tells when an actuator rests: it is asked in case that is lost.
    private static let restInterval: Microseconds = .milliseconds(50)
    /// Longer than any actuator brakes.
    private static let restTimeout: Microseconds = .milliseconds(2_000)
    /// Smaller portions cost more in frames than they carry.
    private static let portionMin = 16

    private var isAllSent: Bool { progress.bytesSent == events.count }

    private func nextPortion(_ session: LinkSession) -> [UInt8]? {
        let remaining = events.count - progress.bytesSent
        let count = min(remaining, session.eventCredit(stream: stream), session.portionMax)
        let isWorthwhile = phase == .loading || progress.state == .dry || count >= Self.portionMin
        guard count > 0, isWorthwhile || count == remaining else { return nil }
        return Array(events[progress.bytesSent..<(progress.bytesSent + count)])
    }

    /// Sends START when event memory is full; one for a time to come shortly before it, when the
    /// clocks are known best, full or not.
    private mutating func startWhenReady(_ session: inout LinkSession, at now: Microseconds) {
        switch start {
        case .after(let delay):
            guard session.eventCredit(stream: stream) == 0 || isAllSent else { return }
            sendStart(isRelative: true, time: delay, &session)
        case .at(let time):
            let sendTime = time - (session.isLineBad ? Self.startLeadOfBadLine : Self.startLead)
            let lastTime = time - Self.startLeadMin - (session.statistics.roundTrip ?? 0)
            let device = session.clock.deviceTime(at: time)
            if device == nil, now >= time { return fail(.unanswered, &session) }
            guard now >= sendTime, let device,
                device.errorBound <= Self.startErrorMax || now >= lastTime
            else {
                nextDeadline = max(now + Self.clockInterval, sendTime)
                return
            }
            sendStart(
                isRelative: false, time: UInt32(truncatingIfNeeded: device.time), &session)
        }
    }

    private mutating func sendStart(
        isRelative: Bool, time: UInt32, _ session: inout LinkSession
    ) {
        firstScale = TickScale(microseconds: tick * session.clock.rate)
        decisive = session.send(
            .start(Start(stream: stream, isRelative: isRelative, time: time, scale: firstScale)))
        phase = .starting
    }

    /// How long before its time START is sent: longer than one lost frame takes, or many.
    private static let startLead: Microseconds = .milliseconds(60)
    private static let startLeadOfBadLine: Microseconds = .milliseconds(1_000)
    /// It leaves so long before its time at the latest, however little is known of the clock.
    private static let startLeadMin: Microseconds = .milliseconds(20)
    /// Until the clock is known as well as this, START waits, if it can.
    private static let startErrorMax: Microseconds = .milliseconds(1)
    /// How soon to look again for a better sample of the clock.
    private static let clockInterval: Microseconds = .milliseconds(5)

    /// Keeps the ticks on the host's clock.
    mutating func pace(_ session: inout LinkSession, at now: Microseconds) {
        if let timing = pacer?.timing(session.clock, at: now) {
            progress.timing?.note(timing)
            progress.timing = progress.timing ?? timing
        }
        guard let change = pacer?.change(session.clock, at: now) else { return }
        session.send(
            .scale(Scale(stream: stream, tick: change.tick, scale: change.scale)))
        positionQuestionAt = min(positionQuestionAt, now + Self.changeInterval)
    }

    /// A stream that was started without a time is where it is, once the clocks are known well.
    private func makePacer(_ clock: ClockSync, deviceStart: UInt32, at now: Microseconds)
        -> StreamPacer?
    {
        let device = clock.extend(deviceStart, near: now)
        let host: Microseconds
        switch start {
        case .at(let time): host = time
        case .after:
            guard let estimate = clock.hostTime(ofDevice: device),
                estimate.errorBound <= Self.anchorErrorMax
            else { return nil }
            host = estimate.time
        }
        return StreamPacer(length: tick, start: host, deviceStart: device, scale: firstScale)
    }

    private static let anchorErrorMax: Microseconds = 300

    // MARK: Following

    mutating func askStream(_ session: inout LinkSession, at now: Microseconds) {
        if streamQuestion == nil { streamQuestion = session.ask(.stream(stream)) }
        let interval = pacer?.isChanging == true ? Self.changeInterval : Self.positionInterval
        positionQuestionAt = now + interval
        if now >= credit.questionAt { awaitCredit(for: 2 * credit.patience, at: now) }
        nextDeadline = nextQuestionAt
    }

    mutating func streamAnswered(
        _ status: StreamStatus, _ session: inout LinkSession,
        at now: Microseconds
    ) {
        if phase == .playing, pacer == nil {
            pacer = makePacer(session.clock, deviceStart: status.startTime, at: now)
        }
        if pacer?.isChanging == true {
            pacer?.note(position: status.position)
            pace(&session, at: now)
        }
        switch status.state {
        case .ended:
            unasked = actuators.indices
            phase = .comingToRest
            askNextActuator(&session)
        case .closed: findCause(&session)
        case .dry where isAllSent && status.eventLimit &- status.capacity == totalSent:
            fail(.endMissing, &session)
        default: break
        }
    }

    /// A message of the stream was rejected; if the stream is gone, the device closed it before.
    mutating func rejected(_ reject: Reject, _ session: inout LinkSession) {
        if reject.code == .noStream {
            findCause(&session)
        } else {
            fail(.rejected(reject), &session)
        }
    }

    mutating func findCause(_ session: inout LinkSession) {
        guard phase != .findingCause else { return }
        phase = .findingCause
        question = session.ask(.status)
    }

    /// All event bytes as the running total that the device keeps.
    private var totalSent: UInt16 { UInt16(truncatingIfNeeded: progress.bytesSent) }

    // MARK: Refused by an actuator

    mutating func openRejected(_ reject: Reject, _ session: inout LinkSession) {
        let isAboutActuator = [.unconfigured, .fault, .notAtRest].contains(reject.code)
        guard isAboutActuator, !actuators.isEmpty else {
            return finish(.failure(.rejected(reject)))
        }
        openReject = reject
        unasked = actuators.indices
        phase = .findingCulprit
        askNextActuator(&session)
    }

    mutating func culpritAnswered(_ actuator: ActuatorStatus, _ session: inout LinkSession) {
        unasked.removeAll { $0 == actuator.actuator }
        if actuator.state.canPlay, !unasked.isEmpty { return askNextActuator(&session) }
        finish(
            .failure(
                actuator.state.canPlay
                    ? openReject.map { .rejected($0) } ?? .unanswered
                    : .actuatorNotReady(index: actuator.actuator, state: actuator.state)))
    }

    // MARK: Coming to rest

    mutating func askNextActuator(_ session: inout LinkSession) {
        guard let actuator = unasked.first else { return close(&session) }
        question = session.ask(.actuator(actuator))
    }

    mutating func restAnswered(
        _ actuator: ActuatorStatus, _ session: inout LinkSession,
        at now: Microseconds
    ) {
        switch actuator.state {
        case .atRest, .unconfigured:
            unasked.removeAll { $0 == actuator.actuator }
            askNextActuator(&session)
        case .fault:
            fail(.actuatorNotReady(index: actuator.actuator, state: actuator.state), &session)
        case _ where now >= restDeadline ?? .max:
            fail(.actuatorNotReady(index: actuator.actuator, state: actuator.state), &session)
        default:
            restDeadline = restDeadline ?? now + Self.restTimeout
            nextDeadline = now + Self.restInterval
        }
    }

    /// Gives the stream back and takes the last counters: STATUS is asked after all was executed.
    private mutating func close(_ session: inout LinkSession) {
        if ending == .played { session.send(.close(stream: stream)) }
        question = session.ask(.status)
        phase = .closing
    }
}

extension ActuatorState {
    /// Whether a stream can be opened on an actuator in this state.
    package var canPlay: Bool { self == .atRest || self == .awake || self == .comingToRest }
}

extension LinkSession {
    /// The most event bytes for one EVENTS. A frame is sent again as it was, so none is longer than
    /// a bad line lets through now and then; on a line that is known to be bad they are short, as
    /// what is lost takes what follows with it.
    var portionMax: Int {
        let overhead = Int(BRIDGE_BODY_MIN) + Int(BRIDGE_EVENTS_SIZE)
        let bodyMax = min(Int(welcome?.bodyMax ?? 0), Int(BRIDGE_BODY_MAX))
        return max(1, min(bodyMax - overhead, isLineBad ? 16 : 48))
    }
}
