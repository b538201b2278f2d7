// IdealLink: the real host session with a stepped board, on one thread, with one clock and without
// waiting.

import BridgeLink
import SerialPorts
import VirtualBoard

/// A link between a `LinkSession` and a `SteppedBoard` that both run in board time.
public final class IdealLink {
    public let board: any SteppedBoard
    public var session: LinkSession {
        get { pump.session }
        set { pump.session = newValue }
    }
    /// All events that the session has reported, in order.
    public private(set) var events: [LinkEvent] = []
    /// Corrupts the host's bytes in transit; nil leaves them unchanged.
    public var damageToBoard: (([UInt8]) -> [UInt8])?
    /// Corrupts the device's bytes in transit; nil leaves them unchanged.
    public var damageToHost: (([UInt8]) -> [UInt8])?

    /// The maximum time step, which limits the delay until the host receives an answer.
    private let stride: BoardTime
    private var playback: Playback?
    private var pump: SessionPump
    /// The time until which the bytes that were already sent occupy the line to the board.
    public var lineFree: BoardTime { pump.lineFree }

    public init(
        _ board: any SteppedBoard, sessionID: UInt32 = 0x1234_5678,
        versions: ClosedRange<UInt8> = Hello.ownVersions, stride: BoardTime = 500
    ) {
        self.board = board
        self.stride = stride
        // The tests compare streams on the device's own clock, so the session does not adjust them
        // to the host's clock.
        var timing = LinkTiming.standard
        timing.clock = nil
        pump = SessionPump(board, sessionID: sessionID, timing: timing, versions: versions)
    }

    // MARK: Time

    /// The time of the host's clock, which equals the time of the board.
    public var now: HostTime { pump.now }

    /// Runs one step, in which the link sends bytes, advances the time, and receives bytes.
    public func step() {
        send()
        board.advance(to: board.now + stride)
        listen(to: board.drainSent())
    }

    /// Sends the bytes that the session has queued.
    public func send() {
        pump.session.poll(at: now)
        pump.send { damageToBoard?($0) ?? $0 }
    }

    /// Passes bytes from the board to the session. A test may pass the same bytes to another host.
    public func listen(to sent: [SentByte]) {
        let answer = sent.map(\.byte)
        pump.session.receive(damageToHost?(answer) ?? answer, at: now)
        while let event = pump.session.nextEvent() {
            events.append(event)
            playback?.handle(event, &pump.session, at: now)
        }
        playback?.advance(&pump.session, at: now)
    }

    /// Steps until `condition` is true. Returns false if it is still false after `limit`
    /// microseconds.
    @discardableResult
    public func run(limit: BoardTime, until condition: (IdealLink) -> Bool) -> Bool {
        let end = board.now + limit
        while !condition(self) {
            guard board.now < end else { return false }
            step()
        }
        return true
    }

    /// Runs for `time` microseconds.
    public func run(for time: BoardTime) {
        run(limit: time) { _ in false }
    }

    /// Connects. Returns false on failure. A board that resets when its port is opened takes up to
    /// 2 s to boot.
    public func connect(limit: BoardTime = 3_000_000) -> Bool {
        run(limit: limit) { $0.session.phase != .connecting } && pump.session.phase == .open
    }

    // MARK: Playing

    /// Plays a compiled stream, from OPEN until the board is at rest. Returns nil if the board is
    /// not at rest within `limit`.
    public func play(
        _ bytes: [UInt8], tick: Int = 250, start: Playback.StartTime = .after(20_000),
        limit: BoardTime
    ) -> Playback? {
        begin(bytes, tick: tick, start: start)
        guard run(limit: limit, until: { $0.playback?.outcome != nil }) else { return nil }
        return playback
    }

    /// Begins to play a stream, and returns immediately.
    public func begin(
        _ bytes: [UInt8], tick: Int = 250, on actuators: ActuatorMask = ActuatorMask(rawValue: 1),
        start: Playback.StartTime = .after(20_000)
    ) {
        var playback = Playback(
            events: bytes, tickMicroseconds: tick, actuators: actuators, start: start)
        playback.begin(&pump.session, at: now)
        self.playback = playback
    }

    /// The running playback, or the last playback if no playback is running.
    public var current: Playback? { playback }
}
