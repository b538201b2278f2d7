// Link: runs a session over a transport on the thread that calls it.

import BridgeLink
import CBridgeProtocol
import POSIX

/// One session over one transport, driven by the calling thread; nothing runs between calls.
///
/// For example:
///
///     let link = Link(try openPort("/dev/ttyACM0"))
///     let board = try link.connect()
///     let completion = try link.play(Playback(events: bytes, actuators: ActuatorMask(index: 0)))
public final class Link {
    /// The session that runs over the transport.
    public private(set) var session: LinkSession
    /// The transport that carries the session.
    public let transport: any Transport
    /// An observer that receives every event before the caller that runs the link does. It must not
    /// run the link.
    public var observer: ((LinkEvent) -> Void)?
    /// An observer of every frame, for a log. It stays in place when `renew` begins another
    /// session.
    public var frameObserver: FrameObserver? {
        get { session.frameObserver }
        set { session.frameObserver = newValue }
    }
    /// True if `play` is running.
    var isPlaying = false
    /// The bytes that the session has handed out and the transport has not yet accepted.
    private var unwritten: [UInt8] = []

    private static let readMax = 4096
    /// The time to wait for room in the operating system before checking again.
    private static let roomInterval: Microseconds = .milliseconds(1)
    private static let waitMax: Microseconds = .milliseconds(1_000)

    /// Creates a link and starts a session over `transport`.
    ///
    /// - Parameter sessionID: not 0; random by default, as SPEC 3 demands.
    public init(
        _ transport: any Transport, sessionID: UInt32 = .random(in: 1 ... .max),
        timing: LinkTiming = .standard
    ) {
        self.transport = transport
        session = LinkSession(sessionID: sessionID, timing: timing, at: Self.now())
    }

    /// Returns the time of the host's monotonic clock. It continues while the computer sleeps, as
    /// the device's clock does.
    public static func now() -> HostTime { hostClock.now() }

    /// Begins a new session over the same transport. Whatever the old session still had to send is
    /// discarded.
    public func renew() {
        unwritten = []
        let frameObserver = frameObserver
        session = LinkSession(
            sessionID: .random(in: 1 ... .max), timing: session.timing, at: Self.now())
        session.frameObserver = frameObserver
    }

    // MARK: Requests

    /// Gives access to the session, to send, ask or stop. What the session has to send leaves with
    /// the next `run`.
    public func withSession<Result>(_ body: (inout LinkSession, HostTime) throws -> Result)
        rethrows -> Result
    {
        try body(&session, Self.now())
    }

    // MARK: Running

    /// Moves bytes until `handle` returns true for an event, or until `deadline` in host time.
    ///
    /// Throws what `handle` throws, `TransportError`, or, once `handle` has received every event of
    /// a session that is over, its `LinkEnd`.
    /// - Returns: whether `handle` ended the run.
    @discardableResult
    public func run(
        until deadline: HostTime, _ handle: (LinkEvent) throws -> Bool = { _ in false }
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

    /// Runs one turn: writes what there is room for, then waits for bytes, for a deadline of the
    /// session, or for `deadline`.
    public func step(until deadline: HostTime) throws(TransportError) {
        try write()
        let now = Self.now()
        let wakeUp = min(
            deadline, session.nextDeadline ?? deadline,
            now + (isWaitingForRoom ? Self.roomInterval : Self.waitMax))
        let bytes = try transport.read(upTo: Self.readMax, timeout: max(0, wakeUp - now))
        session.receive(bytes, at: Self.now())
        session.poll(at: Self.now())
    }

    /// Closes the transport.
    public func close() { transport.close() }

    private var isWaitingForRoom: Bool { session.isOutputWaiting || !unwritten.isEmpty }

    private func write() throws(TransportError) {
        let room = session.unsentLimit - (try transport.unsentCount()) - unwritten.count
        unwritten += session.takeOutput(limit: room, at: Self.now())
        guard !unwritten.isEmpty else { return }
        unwritten.removeFirst(try transport.write(unwritten))
    }
}
