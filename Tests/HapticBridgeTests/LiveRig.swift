// A live stream on the in-process board, in simulated time: the session, the line and the clock are
// real, and nothing waits.

import AHAP
import BridgeLink
import TestSupport
import VirtualBoard

@testable import HapticBridge

/// Host and board with one clock, and a `LiveStream` between them.
final class LiveRig {
    let board: InProcessBoard
    private(set) var session: LinkSession
    private(set) var live: LiveStream
    /// The players that were told to be over, with the time at which they were.
    private(set) var finished: [(time: Microseconds, player: PlayerID)] = []
    /// REJECTs, and whatever else should not happen.
    private(set) var troubles: [LinkEvent] = []
    private(set) var lastStatus: Status?
    private var lineFree: BoardTime = 0
    private var stalledUntil: BoardTime = 0
    /// What the board has sent that is still on the line.
    private var onTheLine: [SentByte] = []
    private var lastPlayer: UInt64 = 0
    /// The last level of the trace that was dropped.
    private var forgotten = 0
    private let stride: BoardTime

    var now: Microseconds { board.now }

    init(
        stride: BoardTime = 250, configuration: ActuatorConfiguration = .coinLRA,
        actuators: Int = 1, memory: UInt16 = 0
    ) {
        var options = InProcessBoard.Options()
        options.actuators = actuators
        live = LiveStream(
            actuators: (0..<actuators).reduce(into: []) { $0.insert(ActuatorMask(index: $1)) },
            memory: memory)
        options.configuration = configuration.bytes
        board = InProcessBoard(options: options)
        self.stride = stride
        session = LinkSession(sessionID: 0x1234_5678, at: board.now)
        connect()
    }

    /// Connects, compares the clocks and opens the stream.
    func connect() {
        while session.phase == .connecting { step() }
        run(for: 100_000)
        live.begin(&session, at: now)
        while live.phase != .open, live.failure == nil { step() }
    }

    // MARK: Players

    /// A new player, which does not play yet.
    func player(_ pattern: HapticPattern) -> PlayerID {
        lastPlayer += 1
        let id = PlayerID(number: lastPlayer)
        live.perform(.add(PlayerVoice(pattern)), of: id)
        return id
    }

    func perform(_ command: PlayerCommand, of player: PlayerID) {
        live.perform(command, of: player)
    }

    // MARK: Time

    func run(for time: Microseconds) {
        let end = now + time
        while now < end { step() }
    }

    func run(until time: Microseconds) { run(for: time - now) }

    /// From now on nothing reaches the board for so long; then everything does.
    func stall(for time: Microseconds) { stalledUntil = now + time }

    private func step() {
        session.poll(at: now)
        live.advance(&session, at: now)
        send()
        board.advance(to: now + stride)
        onTheLine += board.takeSent()
        let arrived = onTheLine.prefix { $0.time <= now }
        session.receive(arrived.map(\.byte), at: now)
        onTheLine.removeFirst(arrived.count)
        while let event = session.nextEvent() {
            note(event)
            live.handle(event, &session, at: now)
        }
        for player in live.takeFinished(at: now) { finished.append((now, player)) }
    }

    private func send() {
        let byteTime = session.timing.byteTime
        let unsent = Int(max(0, lineFree - now) / byteTime)
        let output = session.takeOutput(limit: Link.unsentMax - unsent, at: now)
        guard !output.isEmpty else { return }
        let release = max(now, stalledUntil)
        lineFree = max(lineFree, release) + BoardTime(output.count) * byteTime
        board.send(output, at: release)
    }

    private func note(_ event: LinkEvent) {
        switch event {
        case .rejected, .dropped, .ended, .verdictLost: troubles.append(event)
        case .status(let status, _): lastStatus = status
        default: break
        }
    }

    // MARK: What the bus saw

    /// The level that the chip was given last before a time.
    func level(at time: Microseconds) -> Int {
        let write = board.transactions.last { $0.start <= time && $0.write?.register == 2 }
        return write?.write.map { Int($0.value) } ?? forgotten
    }

    /// Drops the trace so far, for long runs.
    func forgetTrace() {
        forgotten = level(at: now)
        board.forgetTrace()
    }

    /// The levels since a time, without those that change nothing.
    func levels(since time: Microseconds) -> [LevelWrite] {
        board.transactions.levels.filter { $0.time >= time }
    }

    /// Faults that the board has latched, after asking it.
    var faults: Faults {
        session.ask(.status)
        run(for: 20_000)
        return lastStatus?.faults ?? []
    }
}

extension HapticPattern {
    /// One continuous event.
    static func held(_ intensity: Double, for duration: Microseconds? = nil) -> HapticPattern {
        HapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 0, duration: duration, intensity: intensity)
        ])
    }

    /// One tap at a time.
    static func tap(_ intensity: Double, at time: Microseconds = 0) -> HapticPattern {
        HapticPattern(events: [HapticEvent(.hapticTransient, time: time, intensity: intensity)])
    }
}

extension CHHapticPattern {
    /// One event that is known to be right.
    private static func one(
        _ type: CHHapticEvent.EventType, _ intensity: Double, at time: Microseconds,
        for duration: Microseconds? = nil
    ) -> CHHapticPattern {
        let event = CHHapticEvent(
            eventType: type,
            parameters: [.init(parameterID: .hapticIntensity, value: Float(intensity))],
            relativeTime: TimeInterval(time) / 1_000_000)
        if let duration { event.duration = TimeInterval(duration) / 1_000_000 }
        return try! CHHapticPattern(events: [event], parameters: [])
    }

    /// One continuous event.
    static func held(_ intensity: Double, for duration: Microseconds? = nil) -> CHHapticPattern {
        .one(.hapticContinuous, intensity, at: 0, for: duration)
    }

    /// One tap at a time.
    static func tap(_ intensity: Double, at time: Microseconds = 0) -> CHHapticPattern {
        .one(.hapticTransient, intensity, at: time)
    }
}
