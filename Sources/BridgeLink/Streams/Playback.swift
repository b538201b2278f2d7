// Playback: the playback of one compiled event stream in a session, from OPEN until the actuators
// are at rest (SPEC 6). The type performs no I/O.

import CBridgeProtocol

/// Plays one event stream on one stream of the device.
///
/// The owner calls `begin`. Until `outcome` is set, the owner then passes every event of the
/// session to `handle`, and calls `advance` when `nextDeadline` has been reached.
public struct Playback: Sendable {
    /// The time at which tick 0 is played.
    public enum StartTime: Hashable, Sendable {
        /// A number of microseconds after START arrives at the device. The number is negative if
        /// tick 0 precedes this arrival.
        case after(Int32)
        /// A time on the host's clock, which may be hours ahead. Events that are due before START
        /// arrives are late; SPEC 6 defines how late events are treated.
        case at(HostTime)
    }

    /// The phase of a playback.
    public enum Phase: Hashable, Sendable {
        case idle
        /// OPEN was sent.
        case opening
        /// OPEN was rejected because of an actuator. The states of all actuators of the stream are
        /// being queried to identify that actuator.
        case identifyingFaultyActuator
        /// The event memory is being filled.
        case loading
        /// START was sent.
        case starting
        case playing
        /// The stream has ended or has been stopped, and the actuators are braking.
        case comingToRest
        /// The device has closed the stream on its own, and the host is querying the cause.
        case findingCause
        /// The final query for STATUS has been sent, and also CLOSE unless the playback was
        /// stopped.
        case closing
        case done
    }

    /// The way in which a playback ended without an error.
    public enum Completion: Hashable, Sendable {
        /// The device has executed END.
        case played
        /// The playback was stopped before END.
        case stopped
    }

    /// The number of the stream on the device.
    public let stream: UInt8
    /// The actuators of the stream.
    public let actuators: ActuatorMask
    /// The current phase of the playback.
    public internal(set) var phase: Phase = .idle
    /// The progress of the playback and the problems that occurred.
    public internal(set) var progress = PlaybackProgress()
    /// The outcome of the playback; nil until the playback has ended.
    public internal(set) var outcome: Result<Completion, PlaybackError>?
    /// The host time at which `advance` must be called even if no event occurs; nil if no such call
    /// is needed.
    public internal(set) var nextDeadline: HostTime?

    let events: [UInt8]
    /// The length of a tick in host microseconds.
    let tick: Double
    let start: StartTime
    var baseline: Status?
    /// The command that clears the faults of `baseline`.
    var clearing: RequestID?
    var completion = Completion.played
    /// The command whose outcome determines the next phase.
    var decisive: RequestID?
    /// The latest query that was sent in `identifyingFaultyActuator`, `comingToRest`,
    /// `findingCause` or `closing`.
    var question: RequestID?
    var streamQuestion: RequestID?
    /// The time at which the position of the stream will next be queried.
    var positionQuestionAt: HostTime = 0
    /// The event memory that has been granted so far, the time at which the grant last increased,
    /// the time to wait for the next increase, and the time at which the credit is queried.
    var credit: (limit: Int, grownAt: HostTime, patience: Microseconds, questionAt: HostTime) =
        (0, 0, 0, 0)
    var feeder: StreamFeeder
    /// The actuators that have not been queried yet, or that are not at rest yet.
    var unasked: [UInt8] = []
    /// The time by which the actuators must be at rest. The time is set when an actuator is first
    /// found not to be at rest.
    var restDeadline: HostTime?
    var openReject: Reject?
    /// The pacer of the stream; nil until the device has reported the start time of the stream.
    var pacer: StreamPacer?
    /// The scale in the START message.
    var firstScale = TickScale.nominal

    /// Creates a playback that has not begun.
    ///
    /// - Parameters:
    ///   - events: event bytes up to and including END (SPEC 7).
    ///   - tickMicroseconds: the tick length for which the events were compiled, in microseconds.
    ///   - stream: the number of the stream, which must be less than `streams` in WELCOME.
    public init(
        events: [UInt8], tickMicroseconds: Int = Int(BRIDGE_TICK_US), stream: UInt8 = 0,
        actuators: ActuatorMask, start: StartTime = .after(20_000)
    ) {
        self.events = events
        tick = Double(tickMicroseconds)
        self.stream = stream
        feeder = StreamFeeder(stream: stream)
        self.actuators = actuators
        self.start = start
        progress.bytesTotal = events.count
    }

    /// Queries the device's counters, for comparison with later counters, and opens the stream.
    public mutating func begin(_ session: inout LinkSession, at now: HostTime) {
        precondition(phase == .idle, "a playback can begin only once")
        session.ask(.status)
        decisive = session.send(.open(Open(stream: stream, actuators: actuators)))
        phase = .opening
    }

    /// Brings the actuators to rest immediately, which also closes all streams of the device (SPEC
    /// 4.3).
    public mutating func stop(_ session: inout LinkSession, at now: HostTime) {
        guard outcome == nil else { return }
        session.stop()
        recordStopped()
    }

    /// Processes an event of the session.
    public mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, at now: HostTime
    ) {
        guard outcome == nil, phase != .idle else { return }
        record(event)
        transition(event, &session, at: now)
        clearOldFaults(&session)
        feed(&session, at: now)
    }

    /// Sends as many event bytes as the credit allows. When `nextDeadline` has been reached,
    /// repeats the query for the state that the current phase is waiting for.
    public mutating func advance(_ session: inout LinkSession, at now: HostTime) {
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

    // MARK: Events that are handled in every phase

    private mutating func record(_ event: LinkEvent) {
        switch event {
        case .status(let status, _): record(status)
        case .stream(let status, let request) where status.stream == stream:
            if request == streamQuestion { streamQuestion = nil }
            progress.record(status)
        case .unanswered(let request) where request == streamQuestion:
            streamQuestion = nil
        // Faults that are latched after this time belong to this playback, even if no STATUS has
        // reported in the meantime that the old faults were cleared.
        case .carriedOut(clearing): baseline?.faults = []
        case .carriedOut(let request): _ = feeder.settle(request)
        default: break
        }
    }

    private mutating func record(_ status: Status) {
        var baseline = baseline ?? status
        baseline.faults.formIntersection(status.faults)
        self.baseline = baseline
        progress.record(status, since: baseline)
    }

    // MARK: The table

    private mutating func transition(
        _ event: LinkEvent, _ session: inout LinkSession,
        at now: HostTime
    ) {
        switch (phase, event) {
        case (_, .ended(let end)): finish(.failure(.link(end)))
        case (.comingToRest, .stopped): askNextActuator(&session)
        case (_, .stopped):  // of another request
            recordStopped()
            askNextActuator(&session)

        case (.opening, .carriedOut(decisive)): phase = .loading
        case (.opening, .rejected(decisive, let reject)): openRejected(reject, &session)
        case (.opening, .outcomeUnknown(decisive)): fail(.unanswered, &session)

        case (.identifyingFaultyActuator, .actuator(let actuator, question)):
            culpritAnswered(actuator, &session)
        case (.identifyingFaultyActuator, .unanswered(question)),
            (.identifyingFaultyActuator, .rejected(question, _)):
            finish(.failure(openReject.map { .rejected($0) } ?? .unanswered))

        case (.starting, .carriedOut(decisive)):
            phase = .playing
            positionQuestionAt = now
        case (.starting, .rejected(decisive, let reject)): rejected(reject, &session)
        case (.starting, .outcomeUnknown(decisive)): findCause(&session)

        case (.loading, .stream(let status, _)), (.starting, .stream(let status, _)),
            (.playing, .stream(let status, _)):
            if status.stream == stream { streamAnswered(status, &session, at: now) }

        case (.playing, .clockSampled): pace(&session, at: now)

        case (.comingToRest, .status) where nextDeadline != nil:  // the board reports a change
            nextDeadline = now
        case (.comingToRest, .actuator(let actuator, question)):
            restAnswered(actuator, &session, at: now)
        case (.comingToRest, .unanswered(question)): finish(.failure(.unanswered))
        case (.comingToRest, .rejected(question, let reject)): finish(.failure(.rejected(reject)))

        case (.findingCause, .status), (.findingCause, .unanswered(question)):
            fail(.closedByDevice(progress.faults), &session)

        case (.closing, .status(_, question)), (.closing, .unanswered(question)):
            finish(.success(completion))

        case (_, .rejected(let request, let reject)) where feeder.pending.contains(request):
            rejected(reject, &session)
        default: break
        }
    }

    /// Clears the faults that were latched before this playback as soon as these faults are known.
    /// If such a fault is latched again, the fault belongs to this playback.
    private mutating func clearOldFaults(_ session: inout LinkSession) {
        guard clearing == nil, [.loading, .starting, .playing].contains(phase),
            let baseline, !baseline.faults.isEmpty
        else { return }
        clearing = session.send(
            .clearFaults(ClearFaults(faults: baseline.faults, faultTotal: baseline.faultTotal)))
    }

    mutating func finish(_ result: Result<Completion, PlaybackError>) {
        outcome = result
        phase = .done
        nextDeadline = nil
    }

    /// Ends the playback with an error while the stream is open. Closes the stream, which also
    /// brings its actuators to rest.
    mutating func fail(_ error: PlaybackError, _ session: inout LinkSession) {
        session.send(.close(stream: stream))
        finish(.failure(error))
    }

    /// Records that the stream was stopped and is closed. The playback then only waits until its
    /// actuators are at rest.
    private mutating func recordStopped() {
        completion = .stopped
        unasked = actuators.indices
        phase = .comingToRest
        nextDeadline = nil
    }
}
