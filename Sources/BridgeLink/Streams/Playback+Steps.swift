// The steps of a playback: filling the event memory, starting the stream, following the stream, and
// bringing the actuators to rest.

import CBridgeProtocol

extension Playback {
    // MARK: Filling event memory

    /// Sends as many event bytes as both credits allow, and starts the stream when the event memory
    /// is full.
    mutating func feed(_ session: inout LinkSession, at now: HostTime) {
        guard [.loading, .starting, .playing].contains(phase) else { return }
        // On a bad line, START might arrive late if it were sent after the bytes that fill the
        // memory.
        if phase == .loading, session.isLineBad { startWhenReady(&session, at: now) }
        let isHungry = phase == .loading || progress.state == .dry
        progress.bytesSent += feeder.feed(
            events[progress.bytesSent...], inPortionsOf: isHungry ? 1 : Self.portionMin,
            over: &session)
        if phase == .loading { startWhenReady(&session, at: now) }
        if phase == .playing {
            recordCredit(session, at: now)
            nextDeadline = nextQuestionAt
        }
    }

    /// Records the credit that the device has granted. The device reports credit whenever event
    /// memory becomes free. If the next report is much later than the previous reports were, the
    /// report may have been lost, so the host queries the credit.
    private mutating func recordCredit(_ session: LinkSession, at now: HostTime) {
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
    /// The interval between two queries for the state of the stream. The queries are needed in case
    /// the report that the stream has ended is lost.
    private static let positionInterval: Microseconds = .milliseconds(500)
    /// The interval between two queries for the state of the stream while a change of the scale has
    /// not taken effect yet.
    private static let changeInterval: Microseconds = .milliseconds(80)
    /// The interval between two queries for the state of an actuator. The queries are needed in
    /// case the report that the actuator is at rest is lost.
    private static let restInterval: Microseconds = .milliseconds(50)
    /// The time after which an actuator is considered to be unable to come to rest. The value is
    /// longer than the brake time of any actuator.
    private static let restTimeout: Microseconds = .milliseconds(2_000)
    /// The minimum number of event bytes in a frame. A smaller number of bytes would not be worth
    /// the overhead of a frame.
    private static let portionMin = 16

    private var isAllSent: Bool { progress.bytesSent == events.count }

    /// Sends START when the event memory is full or contains enough event bytes. If START specifies
    /// a time, START is sent shortly before that time, when the clock estimate is best, even if the
    /// memory is not full.
    private mutating func startWhenReady(_ session: inout LinkSession, at now: HostTime) {
        switch start {
        case .after(let delay):
            guard
                session.eventCredit(stream: stream) == 0 || isAllSent
                    || progress.bytesSent >= Self.bytesToStartWith
            else { return }
            sendStart(isRelative: true, time: UInt32(bitPattern: delay), &session)
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

    /// The number of event bytes that suffice for starting a stream even if the memory has room for
    /// more. Even the densest stream takes 25 ms to play this number of bytes, and a line at
    /// 250,000 baud transfers the same number of bytes in that time.
    private static let bytesToStartWith = 1_024
    /// The interval between the sending of START and the time that START specifies. The interval is
    /// longer than the delay caused by the loss of one frame, or of many frames on a bad line.
    private static let startLead: Microseconds = .milliseconds(60)
    private static let startLeadOfBadLine: Microseconds = .milliseconds(1_000)
    /// The minimum interval between the sending of START and the time that START specifies, even if
    /// the clock estimate is poor.
    private static let startLeadMin: Microseconds = .milliseconds(20)
    /// The error of the clock estimate above which START waits for a better estimate, if time
    /// permits.
    private static let startErrorMax: Microseconds = .milliseconds(1)
    /// The interval at which the clock estimate is checked.
    private static let clockInterval: Microseconds = .milliseconds(5)

    /// Synchronizes the ticks with the host's clock.
    mutating func pace(_ session: inout LinkSession, at now: HostTime) {
        if let timing = pacer?.timing(session.clock, at: now) {
            progress.timing?.merge(timing)
            progress.timing = progress.timing ?? timing
        }
        guard let change = pacer?.change(session.clock, at: now) else { return }
        session.send(
            .scale(Scale(stream: stream, tick: change.tick, scale: change.scale)))
        positionQuestionAt = min(positionQuestionAt, now + Self.changeInterval)
    }

    /// Creates the pacer of the stream. The start time of a stream that was started without a
    /// specified time is its actual start time. Returns nil until the clock estimate is accurate
    /// enough to determine that time.
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
            pacer?.record(position: status.position)
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

    /// Handles the rejection of a message about the stream. If the stream no longer exists, the
    /// device has already closed the stream on its own.
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

    /// The number of all event bytes that have been sent, modulo 65,536 as in the device's running
    /// total.
    private var totalSent: UInt16 { UInt16(truncatingIfNeeded: progress.bytesSent) }

    // MARK: Rejection caused by an actuator

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

    /// Closes the stream and queries the final counters. STATUS is requested only after all events
    /// have been executed.
    private mutating func close(_ session: inout LinkSession) {
        if completion == .played { session.send(.close(stream: stream)) }
        question = session.ask(.status)
        phase = .closing
    }
}
