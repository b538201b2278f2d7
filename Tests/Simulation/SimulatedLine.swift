// SimulatedLine: a line between a host and a board, with the bytes in transit and a witness for
// each direction.

import BridgeLink
import CBridgeProtocol
import SerialPorts
import TestSupport
import VirtualBoard

struct SimulatedLine {
    private var toBoard: FaultyLine
    private var toHost: FaultyLine
    private var witnessToBoard = FrameWitness()
    private var witnessToHost = FrameWitness()
    /// The number of board microseconds per true microsecond.
    private let rate: Double
    /// The time at which the line to the board becomes free.
    private var free: BoardTime = 0
    private var unsent: [(release: Microseconds, count: Int)] = []
    private var arrivals: [(time: Microseconds, bytes: [UInt8])] = []
    /// The time at which the board received the last byte of the host's last valid frame.
    var lastValid: BoardTime { valid[valid.count - 1].time }
    /// The arrival times of the host's recent valid frames, with the start times of the portions
    /// that contained them.
    private var valid: [(begun: BoardTime, time: BoardTime)] = [(0, 0)]
    /// The time until which the board receives its own echo, and the time of the next echo. `said`
    /// contains the board's last transmission.
    private var echo: (until: Microseconds, next: Microseconds) = (0, 0)
    private var said: [UInt8] = []
    private var session: UInt32 = 0

    /// The referee of the line to an image, which records both ends of the line in cycles; nil for
    /// other boards.
    private(set) var witnessOfImage: LineReferee?
    /// The offset within a microsecond, in cycles, at which bytes to an image begin.
    private let phase: Cycle

    private static let byteTime = 10_000_000 / BoardTime(BRIDGE_BAUD)

    init(_ kind: LineDelays.Kind, seed: UInt64, rate: Double, to board: any SteppedBoard) {
        witnessOfImage = (board as? LockStepBoard).map { LineReferee($0, isStrict: false) }
        let perMicrosecond = (board as? LockStepBoard)?.simulator.cyclesPerMicrosecond ?? 1
        phase = Cycle(seed % UInt64(perMicrosecond))
        toBoard = FaultyLine(kind, seed: seed &* 2)
        toHost = FaultyLine(kind, seed: seed &* 2 &+ 1)
        self.rate = rate
    }

    /// The number of frames that were received intact but never sent, because the CRC did not
    /// detect their damage.
    var collisions: Int { witnessToBoard.collisions + witnessToHost.collisions }

    /// The number of portions that the host has not read yet.
    var arrivalCount: Int { arrivals.count }

    /// Begins another session. Discards the records of the witnesses, except for the frames that
    /// are in transit.
    mutating func begin(session: UInt32) {
        (self.session, said) = (session, [])
        witnessToBoard.begin(session: session)
        witnessToHost.begin(session: session)
        witnessOfImage?.begin(session: session)
    }

    /// Clears the requests to the board, because the board discards them in a reset.
    mutating func forget() { witnessOfImage?.forget() }

    mutating func meet(_ fault: Fault.Kind, at now: Microseconds) {
        switch fault {
        case .noise(let bytes, let time):
            toBoard.noise(bytes: bytes, until: now + time)
            toHost.noise(bytes: bytes, until: now + time)
        case .lose(let count, true): toBoard.lose(count)
        case .lose(let count, false): toHost.lose(count)
        case .repeated(let count, true): toBoard.repeated(count)
        case .repeated(let count, false): toHost.repeated(count)
        case .stall(let time, true): toBoard.stall(until: now + time)
        case .stall(let time, false): toHost.stall(until: now + time)
        case .disconnect(let time):
            toBoard.cut(until: now + time)
            toHost.cut(until: now + time)
        case .echo(let time):
            toBoard.cut(until: now + time)
            echo = (now + time, now)
        default: break
        }
    }

    // MARK: Bytes to the board

    /// Returns the number of bytes that the port accepts now.
    mutating func room(at now: Microseconds) -> Int {
        unsent.removeAll { $0.release <= now }
        return LinkSession.unsentMax - unsent.reduce(0) { $0 + $1.count }
    }

    /// Sends bytes over the line. Returns the frames that the bytes contain.
    mutating func send(
        _ bytes: [UInt8], to board: any SteppedBoard, at now: Microseconds
    ) -> [Frame] {
        guard !bytes.isEmpty else { return [] }
        let frames = witnessToBoard.recordSent(bytes)
        let (release, arriving) = toBoard.carry(bytes, at: now)
        unsent.append((release, bytes.count))
        let start = max(free, BoardTime(Double(release) * rate))
        if let image = board as? LockStepBoard {
            let cycle = image.simulator.cycles(start) + phase
            witnessOfImage?.sent(arriving, until: image.send(arriving, atCycle: cycle))
            // On USB, the host determines when the board receives the bytes.
            if image.simulator.line == .usb { return frames }
        } else {
            board.send(arriving, at: start)
        }
        free = start + BoardTime(arriving.count) * Self.byteTime
        recordArrived(arriving, from: start, to: free)
        return frames
    }

    private mutating func recordArrived(
        _ bytes: [UInt8], from start: BoardTime, to end: BoardTime
    ) {
        if witnessToBoard.recordArrived(bytes).contains(where: { !$0.type.isFromDevice }) {
            valid.append((start, end))
        }
    }

    /// Returns the arrival time of the last valid frame whose portion had begun by `time`.
    mutating func lastValid(by time: BoardTime) -> BoardTime {
        let passed = valid.prefix { $0.begun <= time }.count
        valid.removeFirst(max(0, passed - 1))
        return valid[0].time
    }

    /// Sends the board's last transmission back to the board.
    mutating func repeatEcho(to board: any SteppedBoard, at now: Microseconds) {
        guard now < echo.until, now >= echo.next, !said.isEmpty else { return }
        echo.next = now + Self.echoInterval
        let start = max(free, BoardTime(Double(now) * rate))
        free = start + BoardTime(said.count) * Self.byteTime
        if (board as? LockStepBoard)?.simulator.line != .usb { witnessToBoard.recordEcho(said) }
        board.send(said, at: start)
    }

    private static let echoInterval: Microseconds = 60_000

    // MARK: Bytes to the host

    /// Receives the bytes that the board has sent. Returns the frames that the bytes contain.
    mutating func collect(from board: any SteppedBoard, at now: Microseconds) -> [Frame] {
        let sent = drainSent(from: board)
        guard let last = sent.last else { return [] }
        let bytes = sent.map(\.byte)
        let frames = witnessToHost.recordSent(bytes)
        if let frame = frames.last(where: { $0.type.isFromDevice }) {
            said = [UInt8(BRIDGE_DELIMITER)] + FrameEncoder(session: session).encode(frame)
        }
        let time = max(now, Microseconds((Double(last.time) / rate).rounded(.up)))
        let (release, arriving) = toHost.carry(bytes, at: time)
        arrivals.append((release, arriving))
        return frames
    }

    /// Returns true if the host has bytes to read at this time.
    func hasArrived(at now: Microseconds) -> Bool { arrivals.contains { $0.time <= now } }

    private mutating func drainSent(from board: any SteppedBoard) -> [SentByte] {
        guard let image = board as? LockStepBoard else { return board.drainSent() }
        for packet in image.drainArrived() {
            let time = image.simulator.time(of: packet.cycle)
            recordArrived(packet.bytes, from: time, to: time)
            witnessOfImage?.arrived(packet.bytes, at: packet.cycle)
        }
        return image.drainSentInCycles().map { sent in
            witnessOfImage?.receive(sent.byte, at: sent.cycle)
            return SentByte(time: image.simulator.time(of: sent.cycle), byte: sent.byte)
        }
    }

    /// Removes the portions that the host must read at this time, and returns them.
    mutating func drainArrived(at now: Microseconds) -> [[UInt8]] {
        let arrived = arrivals.filter { $0.time <= now }.map(\.bytes)
        arrivals.removeAll { $0.time <= now }
        for bytes in arrived { _ = witnessToHost.recordArrived(bytes) }
        return arrived
    }
}

extension MessageType {
    /// True if the device sends messages of this type (SPEC 4).
    var isFromDevice: Bool { rawValue & UInt8(BRIDGE_FROM_DEVICE) != 0 }
}
