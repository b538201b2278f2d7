// The real host session on a stepped board: one thread, one clock, no waiting.

import BridgeLink
import VirtualBoard

/// Runs a `LinkSession` against a `SteppedBoard`, both in board time.
public final class SteppedLink {
    public let board: any SteppedBoard
    public var session: LinkSession
    /// Everything that the session has reported, in order.
    public private(set) var events: [LinkEvent] = []
    /// What happens to host bytes on their way; the identity if nil.
    public var damageToBoard: (([UInt8]) -> [UInt8])?
    /// What happens to device bytes on their way; the identity if nil.
    public var damageToHost: (([UInt8]) -> [UInt8])?

    /// Longest step of time: how soon the host sees an answer.
    private let stride: BoardTime
    private var playback: Playback?
    /// Until when the line to the board is taken by what was sent.
    public private(set) var lineFree: BoardTime = 0

    public init(
        _ board: any SteppedBoard, sessionID: UInt32 = 0x1234_5678,
        versions: ClosedRange<UInt8> = Hello.ownVersions, stride: BoardTime = 500
    ) {
        self.board = board
        self.stride = stride
        // Streams are judged on the device's own clock: nothing bends it towards the host's.
        var timing = LinkTiming.standard
        timing.clock = nil
        session = LinkSession(
            sessionID: sessionID, timing: timing, versions: versions, at: board.now)
    }

    // MARK: Time

    /// One step: speak, advance, listen.
    public func step() {
        speak()
        board.advance(to: board.now + stride)
        listen(to: board.takeSent())
    }

    /// Sends what the session has to say now.
    public func speak() {
        session.poll(at: board.now)
        let byteTime = session.timing.byteTime
        let unsent = Int(max(0, lineFree - board.now) / byteTime)
        let output = session.takeOutput(limit: Link.unsentMax - unsent, at: board.now)
        if !output.isEmpty {
            lineFree = max(lineFree, board.now) + BoardTime(output.count) * byteTime
            board.send(damageToBoard?(output) ?? output, at: board.now)
        }
    }

    /// Hears what the board has sent, which another host may hear too.
    public func listen(to sent: [SentByte]) {
        let answer = sent.map(\.byte)
        session.receive(damageToHost?(answer) ?? answer, at: board.now)
        while let event = session.nextEvent() {
            events.append(event)
            playback?.handle(event, &session, at: board.now)
        }
        playback?.advance(&session, at: board.now)
    }

    /// Steps until `condition` holds; false if it does not within `limit` microseconds.
    @discardableResult
    public func run(limit: BoardTime, until condition: (SteppedLink) -> Bool) -> Bool {
        let end = board.now + limit
        while !condition(self) {
            guard board.now < end else { return false }
            step()
        }
        return true
    }

    /// Runs for so many microseconds.
    public func run(for time: BoardTime) {
        run(limit: time) { _ in false }
    }

    /// Connects, or reports false. Boards that reset on open boot for up to 2 s.
    public func connect(limit: BoardTime = 3_000_000) -> Bool {
        run(limit: limit) { $0.session.phase != .connecting } && session.phase == .open
    }

    // MARK: Playing

    /// Plays a compiled stream from OPEN to rest; nil if it does not end within `limit`.
    public func play(
        _ bytes: [UInt8], tick: Int = 250, start: Playback.StartTime = .after(20_000),
        limit: BoardTime
    ) -> Playback? {
        begin(bytes, tick: tick, start: start)
        guard run(limit: limit, until: { $0.playback?.outcome != nil }) else { return nil }
        return playback
    }

    /// Begins to play and returns at once.
    public func begin(
        _ bytes: [UInt8], tick: Int = 250, on actuators: ActuatorMask = ActuatorMask(rawValue: 1),
        start: Playback.StartTime = .after(20_000)
    ) {
        var playback = Playback(
            events: bytes, tickMicroseconds: tick, actuators: actuators, start: start)
        playback.begin(&session, at: board.now)
        self.playback = playback
    }

    /// The running playback, or the last one.
    public var current: Playback? { playback }
}
