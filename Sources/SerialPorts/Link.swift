// Link: runs a session over a transport, on the thread that calls its methods.

import BridgeLink
import CBridgeProtocol
import POSIX

/// One session over one transport. The session runs on the calling thread, so nothing happens
/// between two calls.
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
    /// An observer that receives every event before the caller of `run` receives it. The observer
    /// must not run the link.
    public var observer: ((LinkEvent) -> Void)?
    /// An observer that receives every frame, for a log. The observer remains in place when `renew`
    /// begins a new session.
    public var frameObserver: FrameObserver? {
        get { session.frameObserver }
        set { session.frameObserver = newValue }
    }
    /// True while `play` is running.
    var isPlaying = false
    /// The bytes that the session has produced, but that the transport has not accepted yet.
    private var unwritten: [UInt8] = []

    private static let readMax = 4096
    /// The interval at which the link checks whether the operating system's buffer has room for
    /// more bytes.
    private static let roomInterval: Microseconds = .milliseconds(1)
    private static let waitMax: Microseconds = .milliseconds(1_000)

    /// Creates a link and starts a session over `transport`.
    ///
    /// - Parameter sessionID: the id of the session, which must not be 0; random by default, as
    ///   SPEC 3 requires.
    public init(
        _ transport: any Transport, sessionID: UInt32 = .random(in: 1 ... .max),
        timing: LinkTiming = .standard
    ) {
        self.transport = transport
        session = LinkSession(sessionID: sessionID, timing: timing, at: Self.now())
    }

    /// Returns the time of the host's monotonic clock. Like the device's clock, this clock keeps
    /// running while the computer sleeps.
    public static func now() -> HostTime { hostClock.now() }

    /// Begins a new session over the same transport. Unsent data of the old session is discarded.
    public func renew() {
        unwritten = []
        let frameObserver = frameObserver
        session = LinkSession(
            sessionID: .random(in: 1 ... .max), timing: session.timing, at: Self.now())
        session.frameObserver = frameObserver
    }

    // MARK: Requests

    /// Calls `body` with the session, so that `body` can send messages, make queries or stop
    /// playback. The next `run` sends the messages.
    public func withSession<Result>(_ body: (inout LinkSession, HostTime) throws -> Result)
        rethrows -> Result
    {
        try body(&session, Self.now())
    }

    // MARK: Running

    /// Transfers bytes until `handle` returns true for an event, or until the host time `deadline`.
    ///
    /// Throws the errors of `handle`, and `TransportError`. If the session has ended, throws the
    /// `LinkEnd` of the session after `handle` has received all events.
    /// - Returns: true if `handle` ended the run.
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

    /// Runs one iteration: writes as many bytes as the transport accepts, and then waits for
    /// incoming bytes, for a deadline of the session, or for `deadline`.
    public func step(until deadline: HostTime) throws(TransportError) {
        try write()
        let now = Self.now()
        let eventSignal = min(
            deadline, session.nextDeadline ?? deadline,
            now + (isWaitingForRoom ? Self.roomInterval : Self.waitMax))
        let bytes = try transport.read(upTo: Self.readMax, timeout: max(0, eventSignal - now))
        session.receive(bytes, at: Self.now())
        session.poll(at: Self.now())
    }

    /// Closes the transport.
    public func close() { transport.close() }

    private var isWaitingForRoom: Bool { session.isOutputWaiting || !unwritten.isEmpty }

    /// Writes as many bytes of the session as the transport accepts.
    public func write() throws(TransportError) {
        let room = session.unsentLimit - (try transport.unsentCount()) - unwritten.count
        unwritten += session.nextOutput(limit: room, at: Self.now())
        guard !unwritten.isEmpty else { return }
        unwritten.removeFirst(try transport.write(unwritten))
    }
}
