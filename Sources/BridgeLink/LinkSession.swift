// LinkSession: the host's end of one session (SPEC 3 and 4), without I/O and without a clock.
//
// Bytes and times go in, bytes and events come out; the transport loop owns everything between. A
// session ends once; what comes after is a new session with a new id.

/// The host's end of one session with one device.
///
/// A transport loop calls `poll(at:)` when `nextDeadline` has come, hands what it read to
/// `receive(_:at:)`, writes what `takeOutput(limit:at:)` returns, and drains `nextEvent()`.
public struct LinkSession: Sendable {
    /// Where the session is.
    public enum Phase: Hashable, Sendable {
        /// HELLO is repeated until WELCOME comes.
        case connecting
        case open
        case ended
    }

    /// The session id that seeds every CRC (SPEC 2.1).
    public let sessionID: UInt32
    public let timing: LinkTiming
    /// The protocol versions that HELLO offers.
    public let versions: ClosedRange<UInt8>
    public internal(set) var phase: Phase = .connecting
    /// What the device said of itself, once connected.
    public internal(set) var welcome: Welcome?
    /// Why the session is over, once it is.
    public internal(set) var endReason: LinkEnd?
    /// What time it is on the device.
    public internal(set) var clock = ClockSync()
    /// What happened to frames so far.
    public internal(set) var statistics = LinkStatistics()
    /// Whether the last `takeOutput` kept a frame back because it did not fit.
    public internal(set) var isOutputWaiting = false

    /// Sees every frame that leaves, and every one that has arrived undamaged.
    var frameObserver: FrameObserver?

    var encoder: FrameEncoder
    var decoder: FrameDecoder
    var window = SendWindow()
    var urgent = UrgentRequests()
    var queries = QueryQueue()
    var verdicts = Verdicts()
    /// The REJECT that was told last, by itself or by STATUS.
    var newestReject: (type: MessageType, sequence: UInt8)?
    var credits = StreamCredits()
    var roundTrip = RoundTrip()
    var events: [LinkEvent] = []
    var lastRequest: UInt64 = 0

    let startedAt: Microseconds
    var nextHelloAt: Microseconds
    var helloCount = 0
    var heardNoSession = false
    /// When the oldest frame left that nothing was heard after.
    var unheardSince: Microseconds?
    /// When the session was looked after last.
    var polledAt: Microseconds
    var nextStatusAt: Microseconds = 0
    /// Whether an actuator was awake or calibrating when the device last told.
    var isDeviceAwake = false
    /// When the clock was asked for last, and by how much the next interval is longer.
    var clockAskedAt: Microseconds = 0
    var clockDither: Microseconds = 0
    var clockCount = 0
    /// When the first byte of the frame that is being looked at can last have left.
    var frameDeparture: Microseconds = 0
    var random: Dither

    /// Starts a session: HELLO is due at once.
    ///
    /// - Parameters:
    ///   - sessionID: random and not 0 (SPEC 3).
    ///   - versions: what HELLO offers; this code speaks `Hello.ownVersions`.
    ///   - now: host time.
    public init(
        sessionID: UInt32, timing: LinkTiming = .standard,
        versions: ClosedRange<UInt8> = Hello.ownVersions, at now: Microseconds
    ) {
        precondition(sessionID != 0, "session 0 is that of class CONNECT")
        self.sessionID = sessionID
        self.timing = timing
        self.versions = versions
        encoder = FrameEncoder(session: sessionID)
        decoder = FrameDecoder(session: sessionID)
        startedAt = now
        polledAt = now
        nextHelloAt = now
        random = Dither(seed: UInt64(sessionID))
    }

    /// The oldest event that was not taken yet.
    public mutating func nextEvent() -> LinkEvent? {
        events.isEmpty ? nil : events.removeFirst()
    }

    // MARK: Requests

    // What is asked for leaves with the next `takeOutput`.

    /// Queues a sequenced message. Its end is `carriedOut`, `rejected`, `dropped` or `verdictLost`.
    @discardableResult
    public mutating func send(_ command: Command) -> RequestID {
        let request = nextRequest()
        credits.noteSent(command)
        window.append(command, id: request)
        return request
    }

    /// Queues a query. Its end is its answer, `rejected` or `unanswered`.
    @discardableResult
    public mutating func ask(_ query: Query) -> RequestID {
        let request = nextRequest()
        queries.append(query, request: request)
        return request
    }

    /// Brings everything to rest at once: drops all commands that are not acknowledged and sends
    /// STOP until it is answered (SPEC 4.3). Its end is `stopped`.
    ///
    /// While a STOP is unanswered, another one is the same request.
    @discardableResult
    public mutating func stop() -> RequestID {
        let dropped = verdicts.takeAll().map(\.id) + window.dropAll()
        events += dropped.map { .dropped($0) }
        credits.closeAll()
        if let pending = urgent.pendingStop { return pending }
        let request = nextRequest()
        urgent.addStop(request, nextSequence: window.nextSequence, linkTotal: window.linkTotal)
        return request
    }

    /// Mutes or unmutes actuators at once (SPEC 4.3). Its end is `muted` or `rejected`.
    @discardableResult
    public mutating func mute(_ actuators: ActuatorMask, _ isMuted: Bool = true) -> RequestID {
        let request = nextRequest()
        urgent.addMute(request, actuators: actuators, isMuted: isMuted)
        return request
    }

    /// Event bytes that the device will take for `generation` of `stream` (SPEC 4.4).
    public func eventCredit(stream: UInt8, generation: UInt8 = 0) -> Int {
        credits.available(stream: stream, generation: generation)
    }

    /// Whether a command that is sent now leaves soon: nothing waits for link credit.
    public var isWindowClear: Bool { window.isClear && !window.isHeld }

    /// Whether more than one frame in eight had to be sent again or arrived damaged.
    var isLineBad: Bool {
        let trouble = statistics.damagedFrames + statistics.resendsAsked + statistics.timeouts
        return trouble > 2 && trouble * 8 > statistics.framesReceived
    }

    /// Whether the device's dead-man has something to watch over (SPEC 9).
    var mustKeepAlive: Bool { credits.mayPlay || isDeviceAwake }

    private mutating func nextRequest() -> RequestID {
        lastRequest += 1
        return RequestID(number: lastRequest)
    }
}

/// The direction of a frame, as the host sees it.
public enum FrameDirection: String, Sendable {
    case sent, received
}

/// Sees a frame on the thread that runs the link, and keeps it waiting meanwhile.
public typealias FrameObserver = @Sendable (FrameDirection, Frame) -> Void

/// What happened to the frames of a session.
public struct LinkStatistics: Hashable, Sendable {
    public var bytesSent = 0
    public var bytesReceived = 0
    public var framesReceived = 0
    /// Frames from the device that arrived damaged.
    public var damagedFrames = 0
    /// Times that the session went back because the device missed a frame.
    public var resendsAsked = 0
    /// Times that it went back because no answer came.
    public var timeouts = 0
    /// The smoothed round trip in microseconds, once one was measured.
    public var roundTrip: Microseconds?

    public init() {}
}
