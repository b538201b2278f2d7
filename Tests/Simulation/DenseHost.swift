// DenseHost: a host that keeps the image as busy as possible. The host builds its own frames and
// chooses the cycles in which it sends them.

import BridgeLink
import CBridgeProtocol
import DRV2605
import TestSupport
import VirtualBoard

/// A host with one session and one stream, which contains levels at the shortest permitted
/// intervals. The host keeps a list of unacknowledged messages and respects both credits. The host
/// breaks rules only in deliberate tests.
final class DenseHost {
    let board: LockStepBoard
    var referee: LineReferee
    var random: SeededGenerator
    /// The pending queries, keyed by the type of the answer. A value contains the tag of the query
    /// and the cycle in which it was sent.
    var waiting: [MessageType: (tag: UInt8, since: Cycle)] = [:]
    var tag: UInt8 = 0
    /// The most recently sent frames, in the order of sending.
    private(set) var recent: [[UInt8]] = []

    private let encoder: FrameEncoder
    private var decoder: FrameDecoder
    private var isConnected = false
    private var nextSequence: UInt8 = 0
    private var unacknowledged: [(sequence: UInt8, wire: [UInt8])] = []
    private var sentAt: Cycle = 0
    /// The cycle in which the newest of the answered queries was sent. The board has processed all
    /// bytes that were sent before this query.
    private(set) var heardUntil: Cycle = 0
    private var linkTotal: UInt16 = 0
    private var linkLimit: UInt16 = 0
    private var eventTotal: UInt16 = 0
    private var eventLimit: UInt16 = 0
    private var isFirstPortion = true
    private let actuators: Int
    /// The last status that the board has reported.
    private(set) var status: Status?
    /// True if levels are sent individually rather than as copies.
    private let isPlain: Bool
    /// The time between two levels, in microseconds.
    private let spacing: Double

    private static let resendTime: BoardTime = 30_000
    private static let millisecond: BoardTime = 1_000
    private static let portion = 46
    /// The maximum number of unacknowledged messages: with a margin, the number that sequence
    /// numbers can distinguish.
    private static let unacknowledgedMax = 100

    /// - Parameter spacing: the time between two levels, in microseconds.
    init(
        _ board: LockStepBoard, seed: UInt64, spacing: Double, isPlain: Bool, actuators: Int = 1
    ) {
        self.actuators = actuators
        self.board = board
        self.spacing = spacing
        self.isPlain = isPlain
        random = SeededGenerator(seed: seed)
        let session = UInt32.random(in: 1...UInt32.max, using: &random)
        encoder = FrameEncoder(session: session)
        decoder = FrameDecoder(session: session)
        referee = LineReferee(board)
        referee.begin(session: session)
    }

    var report: LineReport {
        var report = referee.report
        if let failure = board.failure { report.complain(board.cycle, failure) }
        return report
    }

    // MARK: Bytes and time

    /// Sends bytes after a pause in cycles. Optionally, there are gaps of up to one byte time
    /// between the bytes.
    func put(_ bytes: [UInt8], after pause: Cycle = 0, gaps: Bool = false) {
        let start = max(board.lineFree, board.cycle) + pause
        guard gaps else {
            return referee.sent(bytes, until: board.send(bytes, atCycle: start))
        }
        for byte in bytes {
            let gap = Cycle.random(in: 0..<board.byteCycles, using: &random)
            let free = max(board.lineFree, start)
            referee.sent([byte], until: board.send([byte], atCycle: free + gap))
        }
    }

    func put(_ message: Message, sequence: UInt8 = 0, after pause: Cycle = 0, gaps: Bool = false) {
        put(encoder.encode(Frame(message, sequence: sequence)), after: pause, gaps: gaps)
    }

    /// Advances the time to a cycle and receives bytes from the board.
    func run(to end: Cycle) {
        board.advance(toCycle: end)
        for packet in board.drainArrived() { referee.arrived(packet.bytes, at: packet.cycle) }
        for sent in board.drainSentInCycles() {
            referee.receive(sent.byte, at: sent.cycle)
            if let frame = decoder.receive(sent.byte) { receive(frame) }
        }
        referee.expire(at: board.cycle)
        waiting = waiting.filter { time(since: $0.value.since) < LineReferee.answerLimit }
        board.forgetTrace()
    }

    /// Returns the number of microseconds since a cycle.
    private func time(since cycle: Cycle) -> BoardTime {
        board.simulator.time(of: board.cycle - cycle)
    }

    /// Runs for a number of microseconds.
    func run(for time: BoardTime) { run(to: board.cycle + board.simulator.cycles(time)) }

    /// Runs until the line has been idle for a number of microseconds.
    func run(pastLineFor time: BoardTime) {
        run(to: max(board.lineFree, board.cycle) + board.simulator.cycles(time))
    }

    private func receive(_ frame: Frame) {
        if let query = waiting[frame.type], query.tag == frame.sequence {
            waiting[frame.type] = nil
            heardUntil = max(heardUntil, query.since)
        }
        switch try? Message(type: frame.type, payload: frame.payload) {
        case .welcome(let welcome):
            if !isConnected { linkLimit = welcome.linkWindow }
            isConnected = true
        case .acknowledge(let acknowledge): receive(acknowledge)
        case .status(let status): self.status = status
        default: break
        }
    }

    private func receive(_ acknowledge: Acknowledge) {
        let done = acknowledge.nextSequence
        unacknowledged.removeAll { Int8(bitPattern: $0.sequence &- done) < 0 }
        linkLimit = acknowledge.linkLimit
        if let credit = acknowledge.credits.first { eventLimit = credit.eventLimit }
    }

    // MARK: Sequenced messages

    private func send(_ command: Command, gaps: Bool = false) {
        let frame = Frame(.command(command), sequence: nextSequence)
        let wire = encoder.encode(frame)
        unacknowledged.append((nextSequence, wire))
        recent = recent.suffix(3) + [wire]
        nextSequence &+= 1
        linkTotal &+= UInt16(frame.wireSize)
        put(wire, gaps: gaps)
        sentAt = board.lineFree
    }

    /// Resends the messages that the board has not received. The host first waits until the board
    /// has processed its receive buffer, because repeated frames also need space in the buffer.
    func resendIfLost() {
        guard !unacknowledged.isEmpty, heardUntil > sentAt,
            time(since: sentAt) > Self.resendTime
        else { return }
        for (_, wire) in unacknowledged { put(wire) }
        sentAt = board.lineFree
    }

    /// Sends a command and waits until it is acknowledged.
    func carryOut(_ command: Command) {
        send(command)
        let end = board.now + 1_000 * Self.millisecond
        while !unacknowledged.isEmpty, board.now < end {
            run(pastLineFor: Self.millisecond)
            if time(since: sentAt) > Self.resendTime { ask() }
            resendIfLost()
        }
    }

    // MARK: Playback

    /// Connects to a board that has started, and configures its actuators. If there are several
    /// actuators, each has its own levels.
    func connect() {
        run(for: board.simulator.startTime)
        sayHello()
        run(pastLineFor: 20 * Self.millisecond)
        for actuator in 0..<actuators {
            carryOut(.configure(.coinLRA, actuator: UInt8(actuator)))
            run(for: 60 * Self.millisecond)
            if actuators > 1 { carryOut(.gain(gain(255 - 4 * actuator, of: actuator))) }
        }
    }

    private func gain(_ gain: Int, of actuator: Int) -> Gain {
        Gain(actuators: ActuatorMask(index: actuator), gain: UInt8(gain))
    }

    func sayHello() { put(.hello(Hello(session: encoder.session))) }

    /// Sends STOP, which stops all actuators. Afterwards, sequenced messages in transit are
    /// invalid.
    func stop(id: UInt8 = 1) {
        unacknowledged = []
        put(.stop(Stop(id: id, nextSequence: nextSequence, linkTotal: linkTotal)))
    }

    /// Fills the board's window with frames of different sizes.
    func fillWindow() {
        while Int16(bitPattern: linkLimit &- linkTotal) > 0,
            unacknowledged.count < Self.unacknowledgedMax
        {
            let room = Int(Int16(bitPattern: linkLimit &- linkTotal))
            let frame = Frame(.command(.gain(gain(250, of: 0))))
            guard room >= frame.wireSize else { return }
            send(.gain(gain(250, of: 0)))
        }
    }

    /// Opens the stream again. The stream starts some time after the board has received START.
    func play(after time: UInt32) {
        let all = ActuatorMask(rawValue: 1 << UInt16(actuators) - 1)
        carryOut(.open(Open(stream: 0, actuators: all)))
        (eventTotal, isFirstPortion) = (0, true)
        feed()
        let scale = TickScale(microseconds: spacing)
        carryOut(.start(Start(stream: 0, isRelative: true, time: time, scale: scale)))
    }

    /// Sends as many events as both credits allow.
    func feed(gaps: Bool = false) {
        resendIfLost()
        while unacknowledged.count < 4, time(since: board.lineFree) > -2 * Self.millisecond {
            let bytes = portion()
            let size = Int16(Frame(.command(.events(Events(stream: 0, bytes: bytes)))).wireSize)
            guard Int16(bitPattern: eventLimit &- eventTotal) >= bytes.count,
                Int16(bitPattern: linkLimit &- linkTotal) >= size
            else { return }
            isFirstPortion = false
            eventTotal &+= UInt16(bytes.count)
            send(.events(Events(stream: 0, bytes: bytes)), gaps: gaps)
        }
    }

    /// Returns a portion of events: two levels with an interval of one tick, followed by further
    /// levels at the same interval. Unless the host is plain, each further pair of bytes is a COPY
    /// of 98 events, which repeats the two levels 49 times.
    private func portion() -> [UInt8] {
        let pairs = isPlain ? (0..<Self.portion / 2).flatMap { _ in [0xB4, level()] } : copies
        return isFirstPortion ? [0xB1, 1, 40, 0xB4, 90] + pairs.prefix(Self.portion - 6) : pairs
    }

    private let copies: [UInt8] = (0..<portion / 2).flatMap { _ in [0xFF, 0xE1] }

    private func level() -> UInt8 { .random(in: 1...255, using: &random) }
}
