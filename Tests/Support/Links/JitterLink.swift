// JitterLink: the real host session, a line with configurable delays, and a board whose clock may
// drift.

import BridgeLink
import CBridgeProtocol
import DRV2605
import SerialPorts
import VirtualBoard

/// A client that uses the session of a `JitterLink` during a playback.
public protocol LinkClient: AnyObject {
    func handle(_ event: LinkEvent, _ session: inout LinkSession, at now: HostTime)
    /// Performs the work that is due. Returns the time of the next action that the client performs
    /// on its own, or nil if no action is planned.
    func advance(_ session: inout LinkSession, at now: HostTime) -> HostTime?
}

/// A session and a board in virtual time. Times are relative to the host's clock.
public final class JitterLink: TimedLink {
    public let board: InProcessBoard
    public private(set) var session: LinkSession
    public private(set) var playback: Playback?
    /// The current time of the host's clock.
    public private(set) var now: HostTime = 0
    public var onClockSample: ((ClockEstimate<DeviceTime>) -> Void)?

    public var client: (any LinkClient)?
    private var clientDeadline: HostTime?

    /// The number of board microseconds per host microsecond.
    private let rate: Double
    private var toBoard: LineDelays
    private var toHost: LineDelays
    private var unsent: [(release: HostTime, count: Int)] = []
    private var arrivals: [(time: HostTime, byte: UInt8)] = []
    private var lastRelease: HostTime = 0
    private var lastArrival: HostTime = 0

    private var noiseToBoard: BitNoise?
    private var noiseToHost: BitNoise?

    /// - Parameters:
    ///   - drift: the drift of the board's clock, in parts per million.
    ///   - noise: the number of bytes per flipped bit in each direction; nil for no noise.
    public init(_ line: LineDelays.Kind, drift: Double, seed: UInt64, noise: Int? = nil) {
        noiseToBoard = noise.map { BitNoise(bytes: $0, seed: seed &* 2) }
        noiseToHost = noise.map { BitNoise(bytes: $0, seed: seed &* 2 &+ 1) }
        rate = 1 + drift / 1_000_000
        // One frame clock determines the delays in both directions.
        toBoard = LineDelays(line, seed: seed)
        toHost = LineDelays(line, seed: seed, toHost: true)
        var options = InProcessBoard.Options()
        options.configuration = ActuatorConfiguration.coinLRA.bytes
        if case .ownUSB = line {
            options.kind = BRIDGE_BOARD_PICO
            options.baud = 0
        }
        board = InProcessBoard(options: options)
        session = LinkSession(
            sessionID: UInt32(truncatingIfNeeded: seed) | 1, at: 0)
    }

    // MARK: Two clocks

    /// Returns the board time at a host time.
    public func boardTime(at host: HostTime) -> BoardTime {
        BoardTime((Double(host.microseconds) * rate).rounded(.down))
    }

    /// Returns the host time at the board time `time`, in microseconds.
    private func hostTime(of time: BoardTime) -> Double { Double(time) / rate }

    public func error(of estimate: ClockEstimate<DeviceTime>, at host: HostTime) -> Double {
        let truth = Double(BRIDGE_CLOCK_AT_BOOT) + Double(host.microseconds) * rate
        return Double(estimate.time.microseconds) - truth
    }

    public func levels(since start: HostTime) -> [(time: Double, value: UInt8)] {
        let first = boardTime(at: start) - 2_000
        return board.transactions.levels.filter { $0.time >= first }
            .map { (hostTime(of: $0.time) - Double(start.microseconds), $0.value) }
    }

    // MARK: Time

    public func step() {
        session.poll(at: now)
        handleEvents()
        send()
        var next = toBoard.horizon(after: now)
        for time in [
            session.nextDeadline, playback?.nextDeadline, clientDeadline, arrivals.first?.time,
        ] {
            if let time, time > now { next = min(next, time) }
        }
        board.advance(to: boardTime(at: next))
        now = next
        collect()
        receive()
    }

    private func send() {
        unsent.removeAll { $0.release <= now }
        let limit = session.unsentLimit - unsent.reduce(0) { $0 + $1.count }
        let bytes = session.nextOutput(limit: limit, at: now)
        guard !bytes.isEmpty else { return }
        for portion in toBoard.portions(of: bytes, at: now.microseconds) {
            lastRelease = max(lastRelease, HostTime(microseconds: portion.release))
            unsent.append((lastRelease, portion.bytes.count))
            board.send(
                portion.bytes.map { noiseToBoard?.damage($0) ?? $0 }, at: boardTime(at: lastRelease)
            )
        }
    }

    /// Adds the bytes that the board has sent to a queue that is ordered by arrival time.
    private func collect() {
        for sent in board.drainSent() {
            let ended = HostTime(microseconds: Int64(hostTime(of: sent.time).rounded(.up)))
            lastArrival = max(lastArrival, toHost.release(of: ended))
            arrivals.append((lastArrival, noiseToHost?.damage(sent.byte) ?? sent.byte))
        }
    }

    private func receive() {
        let portion = arrivals.prefix { $0.time <= now }.map(\.byte)
        guard !portion.isEmpty else { return }
        arrivals.removeAll { $0.time <= now }
        session.receive(portion, at: now)
        handleEvents()
    }

    /// Makes the client's next action due immediately.
    public func wakeClient() { clientDeadline = now }

    private func handleEvents() {
        while let event = session.nextEvent() {
            wakeClient()
            if case .clockSampled(let estimate, _) = event { onClockSample?(estimate) }
            playback?.handle(event, &session, at: now)
            client?.handle(event, &session, at: now)
        }
        playback?.advance(&session, at: now)
        if let client, let deadline = clientDeadline, deadline <= now {
            clientDeadline = client.advance(&session, at: now)
        }
    }

    @discardableResult
    public func run(until limit: HostTime, _ condition: (JitterLink) -> Bool = { _ in false })
        -> Bool
    {
        while !condition(self) {
            guard now < limit else { return false }
            step()
        }
        return true
    }

    public func connect() -> Bool { run(until: now + 3_000_000) { $0.session.phase == .open } }

    public func begin(_ bytes: [UInt8], start: Playback.StartTime) {
        var playback = Playback(events: bytes, actuators: ActuatorMask(index: 0), start: start)
        playback.begin(&session, at: now)
        self.playback = playback
    }

    /// Opens a stream without sending any data.
    public func open() {
        session.send(.open(Open(stream: 0, actuators: ActuatorMask(index: 0))))
    }
}

/// The delays of a line in host time.
extension LineDelays {
    fileprivate mutating func release(of time: HostTime) -> HostTime {
        HostTime(microseconds: release(of: time.microseconds))
    }

    fileprivate func horizon(after time: HostTime) -> HostTime {
        HostTime(microseconds: horizon(after: time.microseconds))
    }
}
