// LinkSession: the host's end of one session (SPEC 3 and 4), without I/O and without a clock.
//
// Bytes and times go in, bytes and events come out; the transport loop does everything in between.
// A session ends once; after that, a new session with a new id is needed.

import CBridgeProtocol

/// The host's end of one session with one device.
///
/// A transport loop calls `poll(at:)` when `nextDeadline` has come, passes received bytes to
/// `receive(_:at:)`, writes what `takeOutput(limit:at:)` returns, and drains `nextEvent()`.
public struct LinkSession: Sendable {
    /// The phase of a session.
    public enum Phase: Hashable, Sendable {
        /// HELLO is repeated until WELCOME arrives.
        case connecting
        case open
        case ended
    }

    /// The most bytes of a line that the operating system may have and not have sent: 5 ms, so that
    /// STOP is never late.
    public static let unsentMax = 128
    /// The bytes that USB at full speed carries in a frame of 1 ms: 19 packets of 64 (USB 2.0, table
    /// 5-9).
    static let bytesPerFrame = 1_216

    /// The session id that seeds every CRC (SPEC 2.1).
    public let sessionID: UInt32
    /// The times by which the session sends and waits.
    public let timing: LinkTiming
    /// The protocol versions that HELLO offers.
    public let versions: ClosedRange<UInt8>
    /// The present phase of the session.
    public internal(set) var phase: Phase = .connecting
    /// The WELCOME in which the device described itself; nil before it is connected.
    public internal(set) var welcome: Welcome?
    /// True if the device has a USB port of its own, so that its packets are the line.
    var isOnUSB = false
    /// The reason why the session is over; nil before its end.
    public internal(set) var endReason: LinkEnd?
    /// The relation between the host's clock and the device's.
    public internal(set) var clock = ClockSync()
    /// The counts of bytes and frames so far.
    public internal(set) var statistics = LinkStatistics()
    /// The time at which the line is free of all bytes that have left, unless the operating system is late.
    private(set) var lineFreeAt: HostTime = 0
    /// True if the last `takeOutput` held a frame back because it did not fit.
    public internal(set) var isOutputWaiting = false

    /// An observer of every frame that leaves and of every frame that arrives undamaged.
    package var frameObserver: FrameObserver?

    var encoder: FrameEncoder
    var decoder: FrameDecoder
    var window = SendWindow()
    var urgent = UrgentRequests()
    var queries = QueryQueue()
    var pendingResults = PendingResults()
    /// The REJECT that the device reported last, in a message of its own or in STATUS.
    var newestReject: (type: MessageType, sequence: UInt8)?
    var credits = StreamCredits()
    var roundTrip = RoundTrip()
    package internal(set) var events: [LinkEvent] = []
    var lastRequest: UInt64 = 0

    let startedAt: HostTime
    var nextHelloAt: HostTime
    var helloCount = 0
    var heardNoSession = false
    /// The time at which the oldest frame left since the last reception; nil if none has left
    /// since.
    var unheardSince: HostTime?
    /// The time at which the session was last polled.
    var polledAt: HostTime
    var nextStatusAt: HostTime = 0
    /// True if an actuator was awake or calibrating when the device last reported its state.
    var isDeviceAwake = false
    /// The time at which the clock was last asked for.
    var clockAskedAt: HostTime = 0
    var clockCount = 0
    /// The latest time at which the first byte of the frame that is being processed can have left
    /// the device.
    var frameDeparture: HostTime = 0

    /// Starts a session, in which HELLO is due at once.
    ///
    /// - Parameters:
    ///   - sessionID: random and not 0 (SPEC 3).
    ///   - versions: the versions that HELLO offers; this code speaks `Hello.ownVersions`.
    ///   - now: host time.
    public init(
        sessionID: UInt32, timing: LinkTiming = .standard,
        versions: ClosedRange<UInt8> = Hello.ownVersions, at now: HostTime
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
    }

    /// Removes and returns the oldest event, or nil if there is none.
    public mutating func nextEvent() -> LinkEvent? {
        events.isEmpty ? nil : events.removeFirst()
    }

    // MARK: Requests

    // Requests leave with the next `takeOutput`.

    /// Queues a sequenced message. Its end is `carriedOut`, `rejected`, `dropped` or `outcomeUnknown`.
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

    /// Brings everything to rest at once: drops all commands that are not acknowledged and sends
    /// STOP until it is answered (SPEC 4.3). The request ends with `stopped`.
    ///
    /// While a STOP is unanswered, another call belongs to the same request.
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

    /// Mutes or unmutes actuators at once (SPEC 4.3). The request ends with `muted` or `rejected`.
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

    /// The bytes that the line to the device carries in a millisecond; nil if they take no time.
    package var bytesPerMillisecond: Int? {
        if isOnUSB { return Self.bytesPerFrame }
        return timing.byteTime > 0 ? Int(1_000 / timing.byteTime) : nil
    }

    /// The most bytes that the operating system may have and not have sent, so that STOP is never
    /// late: `unsentMax`, or as much as USB carries in a frame and the packet that is on its way.
    public var unsentLimit: Int { isOnUSB ? Self.bytesPerFrame + 64 : Self.unsentMax }

    /// True if a command that is sent now leaves soon: nothing waits for link credit, or over USB
    /// less than a frame carries.
    public var isWindowClear: Bool {
        window.waitingCount < (isOnUSB ? Self.bytesPerFrame / Int(BRIDGE_FRAME_MAX) : 1)
            && !window.isHeld
    }

    /// True if more than one frame in eight had to be sent again or arrived damaged.
    var isLineBad: Bool {
        let trouble = statistics.damagedFrames + statistics.resendsAsked + statistics.timeouts
        return trouble > 2 && trouble * 8 > statistics.framesReceived
    }

    /// True if the device's dead-man may be watching, so that it needs frames from the host (SPEC
    /// 9).
    var mustKeepAlive: Bool { credits.mayPlay || isDeviceAwake }

    /// Counts bytes that leave now.
    mutating func noteOutput(_ count: Int, at now: HostTime) {
        statistics.bytesSent += count
        if count > 0 { lineFreeAt = max(lineFreeAt, now) + longestLineTime(ofBytes: count) }
    }

    private mutating func nextRequest() -> RequestID {
        lastRequest += 1
        return RequestID(number: lastRequest)
    }
}

/// The direction of a frame, as the host sees it.
public enum FrameDirection: String, Sendable {
    case sent, received
}

/// A closure that receives every frame on the thread that runs the link, and keeps that thread
/// waiting until it returns.
public typealias FrameObserver = @Sendable (FrameDirection, Frame) -> Void
