// The steps of a playback: filling event memory, starting, following, and coming to rest.

import CBridgeProtocol

extension Playback {
    // MARK: Filling event memory

    /// Hands over event bytes as far as both credits reach, and starts when memory is full.
    mutating func feed(_ session: inout LinkSession, at now: Microseconds) {
        guard [.loading, .starting, .playing].contains(phase) else { return }
        while session.isWindowClear, let bytes = nextPortion(session) {
            portions.insert(session.send(.events(Events(stream: stream, bytes: bytes))))
            progress.bytesSent += bytes.count
        }
        let isFull = session.eventCredit(stream: stream) == 0 || isAllSent
        if phase == .loading, isFull { sendStart(&session) }
        if phase == .playing, !isAllSent {
            nextDeadline = min(nextDeadline ?? .max, now + Self.creditInterval)
        }
    }

    /// Event memory is freed without notice, so that its credit must be asked for.
    private static let creditInterval: Microseconds = .milliseconds(40)
    private static let positionInterval: Microseconds = .milliseconds(100)
    private static let restInterval: Microseconds = .milliseconds(10)
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

    private mutating func sendStart(_ session: inout LinkSession) {
        let scale = session.clock.tickScale(microseconds: tick)
        let message =
            switch start {
            case .after(let delay):
                Start(stream: stream, isRelative: true, time: delay, scale: scale)
            case .atDeviceTime(let time):
                Start(
                    stream: stream, isRelative: false, time: UInt32(truncatingIfNeeded: time),
                    scale: scale)
            }
        decisive = session.send(.start(message))
        phase = .starting
    }

    // MARK: Following

    mutating func askStream(_ session: inout LinkSession, at now: Microseconds) {
        if streamQuestion == nil { streamQuestion = session.ask(.stream(stream)) }
        nextDeadline = now + (isAllSent ? Self.positionInterval : Self.creditInterval)
    }

    mutating func streamAnswered(
        _ status: StreamStatus, _ session: inout LinkSession,
        at now: Microseconds
    ) {
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

    private mutating func findCause(_ session: inout LinkSession) {
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
        default: nextDeadline = now + Self.restInterval
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
    var canPlay: Bool { self == .atRest || self == .awake || self == .comingToRest }
}

extension LinkSession {
    /// The most event bytes for one EVENTS: whole frames on a good line, short ones on a bad one,
    /// where a long frame is lost more often than it is worth.
    var portionMax: Int {
        let overhead = Int(BRIDGE_BODY_MIN) + Int(BRIDGE_EVENTS_SIZE)
        let bodyMax = min(Int(welcome?.bodyMax ?? 0), Int(BRIDGE_BODY_MAX))
        return max(1, min(bodyMax - overhead, isLineBad ? 16 : .max))
    }

    /// Whether more than one frame in eight had to be sent again or arrived damaged.
    private var isLineBad: Bool {
        let trouble = statistics.damagedFrames + statistics.resendsAsked + statistics.timeouts
        return trouble > 2 && trouble * 8 > statistics.framesReceived
    }
}
