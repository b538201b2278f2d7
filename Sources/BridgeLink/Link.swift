// Link: runs a session over a transport on the thread that calls it.

import CBridgeProtocol

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One session over one transport, driven by the calling thread; nothing runs between calls.
///
/// For example:
///
///     let link = Link(try openPort("/dev/ttyACM0"))
///     let board = try link.connect()
///     let ending = try link.play(Playback(events: bytes, actuators: ActuatorMask(index: 0)))
public final class Link {
    /// Never more unsent bytes in the operating system: 5 ms of line, so that STOP is never late.
    public static let unsentMax = 128

    public private(set) var session: LinkSession
    public let transport: any Transport
    /// Sees every event before whoever runs the link does, and must not run it.
    public var observer: ((LinkEvent) -> Void)?
    /// Sees every frame of this session and of those that `renew` begins; for a log.
    public var frameObserver: FrameObserver? {
        get { session.frameObserver }
        set { session.frameObserver = newValue }
    }
    /// Whether `play` has not returned yet.
    var isPlaying = false
    /// Bytes taken from the session that the transport did not take yet.
    private var unwritten: [UInt8] = []

    private static let readMax = 4096
    /// How long to wait for room in the operating system before looking again.
    private static let roomInterval: Microseconds = .milliseconds(1)
    private static let waitMax: Microseconds = .milliseconds(1_000)

    /// - Parameter sessionID: not 0; random by default, as SPEC 3 asks.
    public init(
        _ transport: any Transport, sessionID: UInt32 = .random(in: 1 ... .max),
        timing: LinkTiming = .standard
    ) {
        self.transport = transport
        session = LinkSession(sessionID: sessionID, timing: timing, at: Self.now())
    }

    /// The host's monotonic clock. It goes on while the computer sleeps, as the device's does.
    public static func now() -> Microseconds {
        var time = timespec()
        clock_gettime(sleeplessClock, &time)
        return Microseconds(time.tv_sec) * 1_000_000 + Microseconds(time.tv_nsec) / 1_000
    }

    /// Begins a new session over the same transport. Nothing that the old one had to say is said.
    public func renew() {
        unwritten = []
        let frameObserver = frameObserver
        session = LinkSession(
            sessionID: .random(in: 1 ... .max), timing: session.timing, at: Self.now())
        session.frameObserver = frameObserver
    }

    // MARK: Requests

    /// Uses the session: sends, asks, stops. What it has to say leaves with the next `run`.
    public func withSession<Result>(_ body: (inout LinkSession, Microseconds) throws -> Result)
        rethrows -> Result
    {
        try body(&session, Self.now())
    }

    #if os(Linux)
        private static let sleeplessClock = CLOCK_BOOTTIME
    #else
        private static let sleeplessClock = CLOCK_MONOTONIC
    #endif

    // MARK: Running

    /// Moves bytes until `handle` returns true for an event, or until `deadline`, host time.
    ///
    /// Throws what `handle` throws, `TransportError`, or, once `handle` has seen every event of a
    /// session that is over, its `LinkEnd`.
    /// - Returns: whether `handle` ended it.
    @discardableResult
    public func run(
        until deadline: Microseconds, _ handle: (LinkEvent) throws -> Bool = { _ in false }
    )
        throws -> Bool
    {
        while true {
            while let event = session.nextEvent() {
                observer?(event)
                if try handle(event) { return true }
            }
            if let reason = session.endReason { throw reason }
            try step(until: deadline)
            if session.events.isEmpty, Self.now() >= deadline { return false }
        }
    }

    /// One turn: writes what there is room for, then waits for bytes, a deadline of the session, or
    /// `deadline`.
    public func step(until deadline: Microseconds) throws(TransportError) {
        try write()
        let now = Self.now()
        let wakeUp = min(
            deadline, session.nextDeadline ?? deadline,
            now + (isWaitingForRoom ? Self.roomInterval : Self.waitMax))
        let bytes = try transport.read(upTo: Self.readMax, timeout: max(0, wakeUp - now))
        session.receive(bytes, at: Self.now())
        session.poll(at: Self.now())
    }

    public func close() { transport.close() }

    private var isWaitingForRoom: Bool { session.isOutputWaiting || !unwritten.isEmpty }

    private func write() throws(TransportError) {
        let room = Self.unsentMax - (try transport.unsentCount()) - unwritten.count
        unwritten += session.takeOutput(limit: room, at: Self.now())
        guard !unwritten.isEmpty else { return }
        unwritten.removeFirst(try transport.write(unwritten))
    }
}
