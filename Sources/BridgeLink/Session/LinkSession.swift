// LinkSession: the host side of one session (SPEC 3 and 4), without I/O and without a clock.
//
// The input is bytes and times, the output is bytes and events. The transport loop performs all
// I/O. A session ends only once; after that, a new session with a new id is needed.

import CBridgeProtocol

/// The host side of one session with one device.
///
/// A transport loop calls `poll(at:)` when `nextDeadline` has been reached, passes received bytes
/// to `receive(_:at:)`, writes the bytes that `takeOutput(limit:at:)` returns, and retrieves events
/// with `nextEvent()`.
public struct LinkSession: Sendable {
    /// The phase of a session.
    public enum Phase: Hashable, Sendable {
        /// The session repeats HELLO until WELCOME arrives.
        case connecting
        case open
        case ended
    }

    /// The maximum number of bytes for a serial line that may be unsent in the operating system's
    /// buffer: 5 ms, so that STOP is never late.
    public static let unsentMax = 128
    /// The number of bytes that full-speed USB transfers in a frame of 1 ms: 19 packets of 64 bytes
    /// (USB 2.0, table 5-9).
    static let bytesPerFrame = 1_216

    /// The session id that seeds every CRC (SPEC 2.1).
    public let sessionID: UInt32
    /// The intervals and timeouts of the session.
    public let timing: LinkTiming
    /// The protocol versions that HELLO offers.
    public let versions: ClosedRange<UInt8>
    /// The present phase of the session.
    public internal(set) var phase: Phase = .connecting
    /// The WELCOME in which the device described itself; nil before the connection.
    public internal(set) var welcome: Welcome?
    /// True if the device has native USB, so that its packets take the place of a serial line.
    var isOnUSB = false
    /// The reason why the session has ended; nil before its end.
    public internal(set) var endReason: LinkEnd?
    /// The relation between the host's clock and the device's clock.
    public internal(set) var clock = ClockSync()
    /// The counts of bytes and frames so far.
    public internal(set) var statistics = LinkStatistics()
    /// The time at which all bytes sent so far have left the line, if the operating system causes
    /// no delay.
    private(set) var lineFreeAt: HostTime = 0
    /// True if the last `takeOutput` withheld a frame because it did not fit.
    public internal(set) var isOutputWaiting = false

    /// An observer of every frame that is sent and of every undamaged frame that is received.
    package var frameObserver: FrameObserver?

    var encoder: FrameEncoder
    var decoder: FrameDecoder
    var window = SendWindow()
    var urgent = UrgentRequests()
    var queries = QueryQueue()
    var pendingResults = PendingResults()
    /// The REJECT that the device reported last, either in a REJECT message or in STATUS.
    var newestReject: (type: MessageType, sequence: UInt8)?
    var credits = StreamCredits()
    var roundTrip = RoundTrip()
    package internal(set) var events: [LinkEvent] = []
    var lastRequest: UInt64 = 0

    let startedAt: HostTime
    var nextHelloAt: HostTime
    var helloCount = 0
    var heardNoSession = false
    /// The time at which the first frame since the last reception was sent; nil if none has been
    /// sent since.
    var unheardSince: HostTime?
    /// The time at which the session was last polled.
    var polledAt: HostTime
    var nextStatusAt: HostTime = 0
    /// True if an actuator was awake or calibrating when the device last reported its state.
    var isDeviceAwake = false
    /// The time of the last clock query.
    var clockAskedAt: HostTime = 0
    var clockCount = 0
    /// The latest time at which the device can have sent the first byte of the frame that is being
    /// processed.
    var frameDeparture: HostTime = 0

    /// Creates a session in which HELLO is due immediately.
    ///
    /// - Parameters:
    ///   - sessionID: the id of the session, which must be random and not 0 (SPEC 3).
    ///   - versions: the versions that HELLO offers. This code supports `Hello.ownVersions`.
    ///   - now: the host time.
    public init(
        sessionID: UInt32, timing: LinkTiming = .standard,
        versions: ClosedRange<UInt8> = Hello.ownVersions, at now: HostTime
    ) {
        precondition(sessionID != 0, "session 0 is reserved for class CONNECT")
        self.sessionID = sessionID
        self.timing = timing
        self.versions = versions
        encoder = FrameEncoder(session: sessionID)
        decoder = FrameDecoder(session: sessionID)
        startedAt = now
        polledAt = now
        nextHelloAt = now
    }

    /// Removes and returns the oldest event, or nil if there is none.
    public mutating func nextEvent() -> LinkEvent? {
        events.isEmpty ? nil : events.removeFirst()
    }

    // MARK: Requests

    // The next `takeOutput` sends the requests.

    /// Queues a sequenced message. The request ends with `carriedOut`, `rejected`, `dropped` or
    /// `outcomeUnknown`.
    @discardableResult
    public mutating func send(_ command: Command) -> RequestID {
        let request = nextRequest()
        credits.noteSent(command)
        window.append(command, id: request)
        return request
    }

    /// Queues a query. The request ends with its answer, `rejected` or `unanswered`.
    @discardableResult
    public mutating func ask(_ query: Query) -> RequestID {
        let request = nextRequest()
        queries.append(query, request: request)
        return request
    }

    /// Brings all actuators to rest: discards all commands that have not been acknowledged and
    /// sends STOP until it is answered (SPEC 4.3). The request ends with `stopped`.
    ///
    /// While a STOP is unanswered, further calls return the same request.
    @discardableResult
    public mutating func stop() -> RequestID {
        let dropped = pendingResults.takeAll().map(\.id) + window.dropAll()
        events += dropped.map { .dropped($0) }
        credits.closeAll()
        if let pending = urgent.pendingStop { return pending }
        let request = nextRequest()
        urgent.addStop(request, nextSequence: window.nextSequence, linkTotal: window.linkTotal)
        return request
    }

    /// Mutes or unmutes actuators immediately (SPEC 4.3). The request ends with `muted` or
    /// `rejected`.
    @discardableResult
    public mutating func mute(_ actuators: ActuatorMask, _ isMuted: Bool = true) -> RequestID {
        let request = nextRequest()
        urgent.addMute(request, actuators: actuators, isMuted: isMuted)
        return request
    }

    /// Returns the number of event bytes that the device still accepts for `generation` of `stream`
    /// (SPEC 4.4).
    public func eventCredit(stream: UInt8, generation: UInt8 = 0) -> Int {
        credits.available(stream: stream, generation: generation)
    }

    /// The number of bytes that the line transfers to the device in a millisecond; nil if transfers
    /// take no time.
    package var bytesPerMillisecond: Int? {
        if isOnUSB { return Self.bytesPerFrame }
        return timing.byteTime > 0 ? Int(1_000 / timing.byteTime) : nil
    }

    /// The maximum number of bytes that may be unsent in the operating system's buffer, so that
    /// STOP is never late: `unsentMax`, or over USB the bytes of one frame and the packet that is
    /// being transferred.
    public var unsentLimit: Int { isOnUSB ? Self.bytesPerFrame + 64 : Self.unsentMax }

    /// True if a command that is sent now leaves soon: no command waits for link credit, or over
    /// USB fewer bytes wait than a frame transfers.
    public var isWindowClear: Bool {
        window.waitingCount < (isOnUSB ? Self.bytesPerFrame / Int(BRIDGE_FRAME_MAX) : 1)
            && !window.isHeld
    }

    /// True if more than one frame in eight had to be sent again or arrived damaged.
    var isLineBad: Bool {
        let trouble = statistics.damagedFrames + statistics.resendsAsked + statistics.timeouts
        return trouble > 2 && trouble * 8 > statistics.framesReceived
    }

    /// True if the device's dead-man timeout may be active, so that the device needs frames from
    /// the host (SPEC 9).
    var mustKeepAlive: Bool { credits.mayPlay || isDeviceAwake }

    /// Counts bytes that are sent now.
    mutating func noteOutput(_ count: Int, at now: HostTime) {
        statistics.bytesSent += count
        if count > 0 { lineFreeAt = max(lineFreeAt, now) + longestLineTime(ofBytes: count) }
    }

    private mutating func nextRequest() -> RequestID {
        lastRequest += 1
        return RequestID(number: lastRequest)
    }
}

/// The direction of a frame from the host's point of view.
public enum FrameDirection: String, Sendable {
    case sent, received
}

/// A closure that receives every frame on the thread that runs the link. The thread waits until the
/// closure returns.
public typealias FrameObserver = @Sendable (FrameDirection, Frame) -> Void
