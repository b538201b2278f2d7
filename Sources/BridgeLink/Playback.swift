// Playback: one compiled event stream, from OPEN to rest, on top of a session (SPEC 6). No I/O.

import CBridgeProtocol

/// Plays one event stream on one stream of the device.
///
/// Its owner calls `begin`, then `handle` with every event of the session and `advance` when
/// `nextDeadline` has come, until `outcome` is there.
public struct Playback: Sendable {
    /// When tick 0 is.
    public enum StartTime: Hashable, Sendable {
        /// So many microseconds after START arrived.
        case after(UInt32)
        /// At a time of the host's clock, which may be hours ahead. What is due before START has
        /// arrived is late: SPEC 6 says what becomes of it.
        case at(Microseconds)
    }

    public enum Phase: Hashable, Sendable {
        case idle
        /// OPEN is on its way.
        case opening
        /// OPEN was rejected for an actuator: which one is being asked.
        case findingCulprit
        /// Event memory is being filled.
        case loading
        /// START is on its way.
        case starting
        case playing
        /// The stream has ended or was stopped; the actuators brake.
        case comingToRest
        /// The device closed the stream by itself: why is being asked.
        case findingCause
        /// CLOSE and the last STATUS are on their way.
        case closing
        case done
    }

    /// How a playback ended well.
    public enum Ending: Hashable, Sendable {
        /// The device played END.
        case played
        /// It was stopped before.
        case stopped
    }

    public let stream: UInt8
    public let actuators: ActuatorMask
    public internal(set) var phase: Phase = .idle
    public internal(set) var progress = PlaybackProgress()
    /// How it ended; nil while it has not.
    public internal(set) var outcome: Result<Ending, PlaybackError>?
    /// When `advance` has something to do by itself, host time.
    public internal(set) var nextDeadline: Microseconds?

    let events: [UInt8]
    /// Host microseconds of a tick.
    let tick: Double
    let start: StartTime
    var baseline: Status?
    /// The command that clears its faults.
    var clearing: RequestID?
    var ending = Ending.played
    /// The command whose verdict decides what comes next.
    var decisive: RequestID?
    /// The question asked last in `findingCulprit`, `comingToRest`, `findingCause` and `closing`.
    var question: RequestID?
    var streamQuestion: RequestID?
    /// When the stream is asked where it is.
    var positionQuestionAt: Microseconds = 0
    /// How far event memory has been granted, since when, and when it is asked for.
    var credit = (
        limit: 0, grownAt: Microseconds(0), patience: Microseconds(0), questionAt: Microseconds(0)
    )
    /// EVENTS whose verdict is not known.
    var portions: Set<RequestID> = []
    /// Actuators that are still to be asked about, or not yet at rest.
    var unasked: [UInt8] = []
    /// When they must be at rest, since the first of them was seen not to be.
    var restDeadline: Microseconds?
    var openReject: Reject?
    /// Since the device told when it starts.
    var pacer: StreamPacer?
    /// The scale that START had.
    var firstScale = TickScale.nominal

    /// - Parameters:
    ///   - events: event bytes up to and including END (SPEC 7).
    ///   - tickMicroseconds: the tick that they were compiled to.
    ///   - stream: below WELCOME's `streams`.
    public init(
        events: [UInt8], tickMicroseconds: Int = Int(BRIDGE_TICK_US), stream: UInt8 = 0,
        actuators: ActuatorMask, start: StartTime = .after(20_000)
    ) {
        self.events = events
        tick = Double(tickMicroseconds)
        self.stream = stream
        self.actuators = actuators
        self.start = start
        progress.bytesTotal = events.count
    }

    /// Asks for the counters to compare with, and opens the stream.
    public mutating func begin(_ session: inout LinkSession, at now: Microseconds) {
        precondition(phase == .idle, "a playback plays once")
        session.ask(.status)
        decisive = session.send(.open(Open(stream: stream, actuators: actuators)))
        phase = .opening
    }

    /// Brings the actuators to rest at once. It closes all streams of the device (SPEC 4.3).
    public mutating func stop(_ session: inout LinkSession, at now: Microseconds) {
        guard outcome == nil else { return }
        session.stop()
        noteStopped()
    }

    /// Takes an event of the session.
    public mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, at now: Microseconds
    ) {
        guard outcome == nil, phase != .idle else { return }
        note(event)
        transition(event, &session, at: now)
        clearOldFaults(&session)
        feed(&session, at: now)
    }

    /// Asks again what has to be known again.
    public mutating func advance(_ session: inout LinkSession, at now: Microseconds) {
        guard outcome == nil else { return }
        feed(&session, at: now)
        guard let deadline = nextDeadline, now >= deadline else { return }
        nextDeadline = nil
        switch phase {
        case .starting, .playing: askStream(&session, at: now)
        case .comingToRest: askNextActuator(&session)
        default: break
        }
    }

    // MARK: What events say, whatever the phase

    private mutating func note(_ event: LinkEvent) {
        switch event {
        case .status(let status, _): note(status)
        case .stream(let status, let request) where status.stream == stream:
            if request == streamQuestion { streamQuestion = nil }
            progress.note(status)
        case .unanswered(let request) where request == streamQuestion:
            streamQuestion = nil
        // What is latched from here on is this playback's, even if no STATUS said otherwise meanwhile.
        case .carriedOut(clearing): baseline?.faults = []
        case .carriedOut(let request): portions.remove(request)
        default: break
        }
    }

    private mutating func note(_ status: Status) {
        var baseline = baseline ?? status
        baseline.faults.formIntersection(status.faults)
        self.baseline = baseline
        progress.note(status, since: baseline)
    }

    // MARK: The table

    private mutating func transition(
        _ event: LinkEvent, _ session: inout LinkSession,
        at now: Microseconds
    ) {
        switch (phase, event) {
        case (_, .ended(let end)): finish(.failure(.link(end)))
        case (.comingToRest, .stopped): askNextActuator(&session)
        case (_, .stopped):  // somebody else's
            noteStopped()
            askNextActuator(&session)

        case (.opening, .carriedOut(decisive)): phase = .loading
        case (.opening, .rejected(decisive, let reject)): openRejected(reject, &session)
        case (.opening, .verdictLost(decisive)): fail(.unanswered, &session)

        case (.findingCulprit, .actuator(let actuator, question)):
            culpritAnswered(actuator, &session)
        case (.findingCulprit, .unanswered(question)), (.findingCulprit, .rejected(question, _)):
            finish(.failure(openReject.map { .rejected($0) } ?? .unanswered))

        case (.starting, .carriedOut(decisive)):
            phase = .playing
            positionQuestionAt = now
        case (.starting, .rejected(decisive, let reject)): rejected(reject, &session)
        case (.starting, .verdictLost(decisive)): findCause(&session)

        case (.loading, .stream(let status, _)), (.starting, .stream(let status, _)),
            (.playing, .stream(let status, _)):
            if status.stream == stream { streamAnswered(status, &session, at: now) }

        case (.playing, .clockSampled): pace(&session, at: now)

        case (.comingToRest, .status) where nextDeadline != nil:  // something has changed
            nextDeadline = now
        case (.comingToRest, .actuator(let actuator, question)):
            restAnswered(actuator, &session, at: now)
        case (.comingToRest, .unanswered(question)): finish(.failure(.unanswered))
        case (.comingToRest, .rejected(question, let reject)): finish(.failure(.rejected(reject)))

        case (.findingCause, .status), (.findingCause, .unanswered(question)):
            fail(.closedByDevice(progress.faults), &session)

        case (.closing, .status(_, question)), (.closing, .unanswered(question)):
            finish(.success(ending))

        case (_, .rejected(let request, let reject)) where portions.contains(request):
            rejected(reject, &session)
        default: break
        }
    }

    /// What was latched before is cleared, as soon as it is known: if it happens again, it is this
    /// playback's.
    private mutating func clearOldFaults(_ session: inout LinkSession) {
        guard clearing == nil, [.loading, .starting, .playing].contains(phase),
            let baseline, !baseline.faults.isEmpty
        else { return }
        clearing = session.send(
            .clearFaults(ClearFaults(faults: baseline.faults, faultTotal: baseline.faultTotal)))
    }

    mutating func finish(_ result: Result<Ending, PlaybackError>) {
        outcome = result
        phase = .done
        nextDeadline = nil
    }

    /// Fails with the stream open: gives it back, which brings its actuators to rest.
    mutating func fail(_ error: PlaybackError, _ session: inout LinkSession) {
        session.send(.close(stream: stream))
        finish(.failure(error))
    }

    /// The stream is closed: what is left is to see the actuators come to rest.
    private mutating func noteStopped() {
        ending = .stopped
        unasked = actuators.indices
        phase = .comingToRest
        nextDeadline = nil
    }
}
