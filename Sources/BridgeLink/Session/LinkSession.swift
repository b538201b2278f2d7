// LinkSession: the host side of one session (SPEC 3 and 4), without I/O and without a clock.
//
// A session receives bytes and times, and produces bytes and events. The transport loop performs
// all I/O. A session that has ended cannot be resumed: a new session with a new id is needed.

import CBridgeProtocol

/// The host side of one session with one device.
///
/// A transport loop calls `poll(at:)` when `nextDeadline` is reached, passes received bytes to
/// `receive(_:at:)`, writes the bytes that `nextOutput(limit:at:)` returns, and retrieves events
/// with `nextEvent()`.
public struct LinkSession: Sendable {
    /// The phase of a session.
    public enum Phase: Hashable, Sendable {
        /// The session repeats HELLO until WELCOME arrives.
        case connecting
        case open
        case ended
    }

    /// The maximum number of unsent bytes in the operating system's buffer for a serial line. The
    /// line transfers these bytes in 5 ms, so STOP is never late.
    public static let unsentMax = 128
    /// The number of bytes that full-speed USB transfers in a frame of 1 ms: 19 packets of 64 bytes
    /// (USB 2.0, table 5-9).
    static let bytesPerFrame = 1_216

    /// The session id, which seeds the CRC of every frame (SPEC 2.1).
    public let sessionID: UInt32
    /// The intervals and timeouts of the session.
    public let timing: LinkTiming
    /// The protocol versions that HELLO offers.
    public let versions: ClosedRange<UInt8>
    /// The current phase of the session.
    public internal(set) var phase: Phase = .connecting
    /// The WELCOME in which the device described itself; nil before the device has answered.
    public internal(set) var welcome: Welcome?
    /// True if the device has native USB, so bytes are transferred in USB packets and not on a
    /// serial line.
    var isOnUSB = false
    /// The reason why the session has ended; nil if the session has not ended.
    public internal(set) var endReason: LinkEnd?
    /// The relation between the host's clock and the device's clock.
    public internal(set) var clock = ClockSync()
    /// The counts of bytes and frames so far.
    public internal(set) var statistics = LinkStatistics()
    /// The time at which the last byte sent so far leaves the line, provided that the operating
    /// system causes no delay.
    private(set) var lineFreeAt: HostTime = 0
    /// True if the last call of `nextOutput` withheld a frame because the frame did not fit.
    public internal(set) var isOutputWaiting = false

    /// An observer that receives every frame that is sent, and every undamaged frame that arrives.
    package var frameObserver: FrameObserver?

    var encoder: FrameEncoder
    var decoder: FrameDecoder
    var window = SendWindow()
    var urgent = UrgentRequests()
    var queries = QueryQueue()
    var pendingResults = PendingResults()
    /// The latest rejection that the device has reported, either in a REJECT or in a STATUS.
    var newestReject: (type: MessageType, sequence: UInt8)?
    var credits = StreamCredits()
    var roundTrip = RoundTrip()
    package internal(set) var events: [LinkEvent] = []
    var lastRequest: UInt64 = 0

    let startedAt: HostTime
    var nextHelloAt: HostTime
    var receivedNoSession = false
    /// The time at which the first frame since the last reception was sent; nil if no frame has
    /// been sent since the last reception.
    var unansweredSince: HostTime?
    /// The time at which the session was last polled.
    var polledAt: HostTime
    var nextStatusAt: HostTime = 0
    /// True if an actuator was awake or calibrating according to the device's last report.
    var isDeviceAwake = false
    /// The time of the last clock query.
    var clockAskedAt: HostTime = 0
    var clockCount = 0
    /// The latest time at which the device can have sent the first byte of the frame that is being
    /// processed.
    var frameDeparture: HostTime = 0

    /// Creates a session that sends HELLO immediately.
    ///
    /// - Parameters:
    ///   - sessionID: the id of the session, which must be random and not 0 (SPEC 3).
    ///   - versions: the versions that HELLO offers. The versions that this implementation supports
    ///     are `Hello.ownVersions`.
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

    // The requests are sent by the next call of `nextOutput`.

    /// Queues a sequenced message. The request ends with `carriedOut`, `rejected`, `dropped` or
    /// `outcomeUnknown`.
    @discardableResult
    public mutating func send(_ command: Command) -> RequestID {
        let request = nextRequest()
        credits.recordSent(command)
        window.append(command, id: request)
        return request
    }

    /// Queues a query. The request ends with the answer, `rejected` or `unanswered`.
    @discardableResult
    public mutating func ask(_ query: Query) -> RequestID {
        let request = nextRequest()
        queries.append(query, request: request)
        return request
    }

    /// Queues a query, unless an equal query is waiting to be sent. If an equal query is waiting,
    /// returns the request of that query, so that equal queries of many callers cause only one
    /// query on the line.
    package mutating func askOnce(_ query: Query) -> RequestID {
        queries.waitingRequest(for: query) ?? ask(query)
    }

    /// Brings all actuators to rest: discards all commands that have not been acknowledged, and
    /// sends STOP repeatedly until the device answers (SPEC 4.3). The request ends with `stopped`.
    ///
    /// Until the device has answered, further calls return the same request.
    @discardableResult
    public mutating func stop() -> RequestID {
        let dropped = pendingResults.removeAll().map { $0.id } + window.dropAll()
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

    /// The number of bytes that the line transfers to the device per millisecond; nil if transfers
    /// take no time.
    package var bytesPerMillisecond: Int? {
        if isOnUSB { return Self.bytesPerFrame }
        return timing.byteTime > 0 ? Int(1_000 / timing.byteTime) : nil
    }

    /// The maximum number of unsent bytes in the operating system's buffer, chosen so that STOP is
    /// never late. For a serial line, this is `unsentMax`; over USB, the bytes of one frame plus
    /// the packet that is being transferred.
    public var unsentLimit: Int { isOnUSB ? Self.bytesPerFrame + 64 : Self.unsentMax }

    /// True if a command that is queued now is sent soon: no STOP is unanswered, and no command is
    /// waiting to be sent (over USB, at most as many commands are waiting as one USB frame
    /// transfers).
    public var isWindowClear: Bool {
        window.waitingCount < (isOnUSB ? Self.bytesPerFrame / Int(BRIDGE_FRAME_MAX) : 1)
            && !window.isHeld
    }

    /// True if more than one in eight frames were sent again or arrived damaged.
    var isLineBad: Bool {
        let trouble = statistics.damagedFrames + statistics.resendsAsked + statistics.timeouts
        return trouble > 2 && trouble * 8 > statistics.framesReceived
    }

    /// True if the device's dead-man timeout may be running, so the host must keep sending frames
    /// (SPEC 9).
    var mustKeepAlive: Bool { credits.mayPlay || isDeviceAwake }

    /// Counts bytes that are sent now.
    mutating func recordOutput(_ count: Int, at now: HostTime) {
        statistics.bytesSent += count
        if count > 0 { lineFreeAt = max(lineFreeAt, now) + longestLineTime(ofBytes: count) }
    }

    private mutating func nextRequest() -> RequestID {
        lastRequest += 1
        return RequestID(number: lastRequest)
    }
}

/// The direction of a frame, as seen from the host.
public enum FrameDirection: String, Sendable {
    case sent, received
}

/// A closure that receives every frame. The closure is called on the thread that runs the link, and
/// this thread waits until the closure returns.
public typealias FrameObserver = @Sendable (FrameDirection, Frame) -> Void
