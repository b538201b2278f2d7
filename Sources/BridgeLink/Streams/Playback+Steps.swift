// The steps of a playback: filling event memory, starting, following and coming to rest.

import CBridgeProtocol

extension Playback {
    // MARK: Filling event memory

    /// Hands over event bytes as far as both credits allow, and starts the stream when event memory
    /// is full.
    mutating func feed(_ session: inout LinkSession, at now: HostTime) {
        guard [.loading, .starting, .playing].contains(phase) else { return }
        // On a bad line, START could be late behind the bytes that fill the memory.
        if phase == .loading, session.isLineBad { startWhenReady(&session, at: now) }
        let isHungry = phase == .loading || progress.state == .dry
        progress.bytesSent += feeder.feed(
            events[progress.bytesSent...], inPortionsOf: isHungry ? 1 : Self.portionMin,
            over: &session)
        if phase == .loading { startWhenReady(&session, at: now) }
        if phase == .playing {
            noteCredit(session, at: now)
            nextDeadline = nextQuestionAt
        }
    }

    /// Notes the credit that the device has granted. It reports credit as event memory is freed;
    /// the host asks for it when that takes much longer than before, because the report may have
    /// been lost.
    private mutating func noteCredit(_ session: LinkSession, at now: HostTime) {
        let limit = progress.bytesSent + session.eventCredit(stream: stream)
        guard limit > credit.limit else { return }
        credit.limit = limit
        awaitCredit(for: 2 * (now - credit.grownAt), at: now)
        credit.grownAt = now
    }

    private mutating func awaitCredit(for patience: Microseconds, at now: HostTime) {
        let range = Self.creditPatience
        credit.patience = min(max(patience, range.lowerBound), range.upperBound)
        credit.questionAt = now + credit.patience
    }

    private var nextQuestionAt: HostTime {
        isAllSent ? positionQuestionAt : min(positionQuestionAt, credit.questionAt)
    }

    private static let creditPatience: ClosedRange<Microseconds> = 40_000...500_000
    /// The interval at which the stream is asked for its state, in case the report of its end is
    /// lost.
    private static let positionInterval: Microseconds = .milliseconds(500)
    /// The interval at which the stream is asked for its state while a change of the scale has yet
    /// to take effect.
    private static let changeInterval: Microseconds = .milliseconds(80)
    /// The interval at which an actuator is asked for its state, in case the report that it is at
    /// rest is lost.
    private static let restInterval: Microseconds = .milliseconds(50)
    /// The time after which an actuator is considered unable to come to rest, which is longer than
    /// any actuator brakes.
    private static let restTimeout: Microseconds = .milliseconds(2_000)
    /// The smallest portion of event bytes worth a frame: a smaller one carries less than the frame
    /// costs.
    private static let portionMin = 16

    private var isAllSent: Bool { progress.bytesSent == events.count }

    /// Sends START when event memory is full, or has enough. A START for a time to come is sent
    /// shortly before that time, when the clocks are known best, whether the memory is full or not.
    private mutating func startWhenReady(_ session: inout LinkSession, at now: HostTime) {
        switch start {
        case .after(let delay):
            guard
                session.eventCredit(stream: stream) == 0 || isAllSent
                    || progress.bytesSent >= Self.bytesToStartWith
            else { return }
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
                isRelative: false, time: device.time.stamp, &session)
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

    /// The number of event bytes with which a stream is started though the memory has room for more:
    /// the densest stream plays them for 25 ms, in which even a line at 250,000 baud brings as many.
    private static let bytesToStartWith = 1_024
    /// The time by which START is sent before its own time: longer than the loss of one frame
    /// takes, or of many on a bad line.
    private static let startLead: Microseconds = .milliseconds(60)
    private static let startLeadOfBadLine: Microseconds = .milliseconds(1_000)
    /// The time before its own time at which START leaves at the latest, however little is known of
    /// the clock.
    private static let startLeadMin: Microseconds = .milliseconds(20)
    /// The error of the clock estimate above which START waits for a better one, if it can.
    private static let startErrorMax: Microseconds = .milliseconds(1)
    /// The interval at which a better sample of the clock is looked for.
    private static let clockInterval: Microseconds = .milliseconds(5)

    /// Keeps the ticks in step with the host's clock.
    mutating func pace(_ session: inout LinkSession, at now: HostTime) {
        if let timing = pacer?.timing(session.clock, at: now) {
            progress.timing?.note(timing)
            progress.timing = progress.timing ?? timing
        }
        guard let change = pacer?.change(session.clock, at: now) else { return }
        session.send(
            .scale(Scale(stream: stream, tick: change.tick, scale: change.scale)))
        positionQuestionAt = min(positionQuestionAt, now + Self.changeInterval)
    }

    /// Creates the pacer of the stream. A stream that was started without a time stays where it
    /// began; nil until the clocks are known well enough to determine that.
    private func makePacer(_ clock: ClockSync, deviceStart: UInt32, at now: HostTime)
        -> StreamPacer?
    {
        let device = clock.extend(deviceStart, near: now)
        let host: HostTime
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

    mutating func askStream(_ session: inout LinkSession, at now: HostTime) {
        if streamQuestion == nil { streamQuestion = session.ask(.stream(stream)) }
        let interval = pacer?.isChanging == true ? Self.changeInterval : Self.positionInterval
        positionQuestionAt = now + interval
        if now >= credit.questionAt { awaitCredit(for: 2 * credit.patience, at: now) }
        nextDeadline = nextQuestionAt
    }

    mutating func streamAnswered(
        _ status: StreamStatus, _ session: inout LinkSession,
        at now: HostTime
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

    /// Handles the rejection of a message of the stream. If the stream no longer exists, the device
    /// has closed it before.
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

    /// The number of all event bytes sent, modulo 65,536, like the running total that the device
    /// keeps.
    private var totalSent: UInt16 { UInt16(truncatingIfNeeded: progress.bytesSent) }

    // MARK: Refused by an actuator

    mutating func openRejected(_ reject: Reject, _ session: inout LinkSession) {
        let isAboutActuator = [.unconfigured, .fault, .notAtRest].contains(reject.code)
        guard isAboutActuator, !actuators.isEmpty else {
            return finish(.failure(.rejected(reject)))
        }
        openReject = reject
        unasked = actuators.indices
        phase = .identifyingFaultyActuator
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
        at now: HostTime
    ) {
        switch actuator.state {
        case .atRest, .unconfigured:
            unasked.removeAll { $0 == actuator.actuator }
            askNextActuator(&session)
        case .fault:
            fail(.actuatorNotReady(index: actuator.actuator, state: actuator.state), &session)
        case _ where now >= restDeadline ?? .never:
            fail(.actuatorNotReady(index: actuator.actuator, state: actuator.state), &session)
        default:
            restDeadline = restDeadline ?? now + Self.restTimeout
            nextDeadline = now + Self.restInterval
        }
    }

    /// Closes the stream and asks for the last counters. STATUS is requested after everything has
    /// been executed.
    private mutating func close(_ session: inout LinkSession) {
        if completion == .played { session.send(.close(stream: stream)) }
        question = session.ask(.status)
        phase = .closing
    }
}
