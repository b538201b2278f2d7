// LineReferee: compares the messages that an image sends with the messages that it has received,
// based on the true time of each byte.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// A referee that observes both ends of the line to a board in lock-step, and decodes both
/// directions. The line damages no bytes.
///
/// The referee compares each time that the board reports with the end of the corresponding stop
/// bit, and checks the CRC of each frame from the board. Each request to the board must be answered
/// exactly once.
struct LineReferee {
    private(set) var report = LineReport()
    /// True if answers are required. On a line with faults, answers are not required.
    private let isStrict: Bool
    private let board: LockStepBoard

    private var sessions: [UInt32] = []
    private var arriving = FrameDecoder(session: 0)
    private var piece: [UInt8] = []
    private var pieceStart: Cycle = 0

    /// The requests that may be answered, by the type of the answer.
    private var asked: [MessageType: [Asked]] = [:]
    private var owed: [MessageType: Cycle] = [:]
    private var hellos: [Cycle] = []
    /// The device times at which a stream may have started.
    private var starts: [UInt32] = []
    /// The cycle until which received bytes may be lost because the board's receive buffer is full.
    private var lossyUntil: Cycle = 0
    private var delimiters: [Cycle] = []

    private struct Asked {
        var tag: UInt8
        var arrival: Cycle
        var isOwed: Bool
    }

    /// The maximum time from the arrival of a frame to its answer. The board may send all other
    /// answers first.
    static let answerLimit: BoardTime = 50_000
    /// The maximum time from the arrival of a frame to an answer that is not required. The board
    /// may process a full receive buffer first.
    private static let lateLimit = 10 * answerLimit
    /// The number of recent HELLOs and starts that the referee stores, because the host may repeat
    /// them.
    private static let repeatsMax = 8

    init(_ board: LockStepBoard, isStrict: Bool = true) {
        self.board = board
        self.isStrict = isStrict
    }

    /// Accepts frames of a new session from now on. Answers from earlier sessions may still be in
    /// transit.
    mutating func begin(session: UInt32) {
        sessions = [session] + sessions.prefix(3)
        arriving = FrameDecoder(session: session)
    }

    /// Records that the board receives more bytes than it can buffer. Requests that are received
    /// until the given cycle require no answer.
    mutating func losesBytes(until cycle: Cycle) { lossyUntil = cycle }

    /// Clears all requests, as the board does after a reset.
    mutating func forget() { (asked, owed, hellos, starts) = ([:], [:], [], []) }

    // MARK: Bytes to the board

    /// Records the arrival of contiguous bytes that end at `end`. On USB, the board receives bytes
    /// later than the host sends them.
    mutating func sent(_ bytes: [UInt8], until end: Cycle) {
        guard board.simulator.line == .uart else { return }
        for (index, byte) in bytes.enumerated() {
            arrived(byte, at: end - Cycle(bytes.count - 1 - index) * board.byteCycles)
        }
    }

    /// Records the arrival of the bytes of a packet that ended at `end`.
    mutating func arrived(_ bytes: [UInt8], at end: Cycle) {
        for byte in bytes { arrived(byte, at: end) }
    }

    private mutating func arrived(_ byte: UInt8, at end: Cycle) {
        if end > lossyUntil {
            delimiters.removeAll(keepingCapacity: true)
        } else if byte == UInt8(BRIDGE_DELIMITER) {
            delimiters.append(end)
        }
        if let frame = arriving.receive(byte) { arrived(frame, at: end) }
    }

    private mutating func arrived(_ frame: Frame, at end: Cycle) {
        let isOwed = isStrict && end > lossyUntil
        if frame.type.isQuery {
            report.queries += isOwed ? 1 : 0
            let answer = MessageType(rawValue: frame.type.rawValue | UInt8(BRIDGE_FROM_DEVICE))
            asked[answer, default: []].append(
                Asked(tag: frame.sequence, arrival: end, isOwed: isOwed))
        }
        switch try? Message(type: frame.type, payload: frame.payload) {
        case .hello: hellos = hellos.suffix(Self.repeatsMax) + [end]
        case .stop: owe(.stopped, since: end, isOwed)
        case .mute: owe(.muted, since: end, isOwed)
        case .command(let command):
            owe(.acknowledge, since: end, isOwed)
            if case .start(let start) = command { record(start, at: end) }
        default: break
        }
    }

    private mutating func owe(_ answer: MessageType, since end: Cycle, _ isOwed: Bool) {
        if isOwed, owed[answer] == nil { owed[answer] = end }
    }

    private mutating func record(_ start: Start, at end: Cycle) {
        let now = board.deviceClock(at: end) ?? 0
        starts =
            starts.suffix(Self.repeatsMax) + [start.isRelative ? now &+ start.time : start.time]
    }

    // MARK: Bytes from the board

    /// Processes a byte sent by the board, with the cycle at which its stop bit ended.
    mutating func receive(_ byte: UInt8, at end: Cycle) {
        if piece.isEmpty { pieceStart = end }
        guard byte == UInt8(BRIDGE_DELIMITER) else { return piece.append(byte) }
        defer { piece.removeAll(keepingCapacity: true) }
        guard !piece.isEmpty else { return }
        guard let body = COBS.decode(piece),
            let frame = sessions.lazy.compactMap({ Frame(body: body, session: $0) }).first
        else { return recordDamage(until: end) }
        receive(frame, at: end)
    }

    /// Records a damaged frame from the board. A reset may truncate a frame; any other damage is a
    /// violation.
    private mutating func recordDamage(until end: Cycle) {
        let margin: Cycle = 2_000
        guard !board.trace.resets.contains(where: { pieceStart - margin...end ~= $0.cycle }) else {
            return
        }
        report.damaged += 1
        report.complain(end, "\(piece.count) bytes between two delimiters are not a frame")
    }

    private mutating func receive(_ frame: Frame, at end: Cycle) {
        owed[frame.type] = nil
        let arrival = removeRequest(answeredBy: frame, at: end)
        switch try? Message(type: frame.type, payload: frame.payload) {
        case .clockReply(let reply):
            guard let arrival else { break }
            check("CLOCK", reply.received, [arrival] + delimiters.filter { $0 > arrival }, at: end)
            let delay = Int32(bitPattern: reply.transmitted &- reply.received)
            if delay < 0 || BoardTime(delay) > Self.answerLimit {
                report.complain(end, "CLOCK was answered \(delay) us after its arrival")
            }
        case .welcome(let welcome): check("HELLO", welcome.clock, hellos, at: end)
        case .stream(let stream) where stream.state == .playing && stream.generation == 0:
            checkStamp("START", stream.startTime, starts, at: end)
        default: break
        }
    }

    /// Returns the cycle in which the board received the request that a frame answers, or nil if
    /// the board has not received a request.
    private mutating func removeRequest(answeredBy frame: Frame, at end: Cycle) -> Cycle? {
        guard let list = asked[frame.type] else { return nil }
        guard let index = list.lastIndex(where: { $0.tag == frame.sequence }) else {
            if isStrict, frame.sequence != 0 {
                report.complain(
                    end, "\(frame.type) has tag \(frame.sequence), which was not requested")
            }
            return nil
        }
        asked[frame.type] = Array(list[(index + 1)...])
        return list[index].arrival
    }

    private mutating func check(
        _ what: String, _ clock: UInt32, _ arrivals: [Cycle], at end: Cycle
    ) {
        checkStamp(what, clock, arrivals.compactMap { board.deviceClock(at: $0) }, at: end)
    }

    private mutating func checkStamp(
        _ what: String, _ clock: UInt32, _ truths: [UInt32], at end: Cycle
    ) {
        let errors = truths.map { Int(Int32(bitPattern: clock &- $0)) }
        guard let error = errors.min(by: { abs($0) < abs($1) }) else { return }
        report.stamps += 1
        report.worstStamp = max(report.worstStamp, abs(error))
        guard abs(error) > board.simulator.stampTolerance else { return }
        report.complain(end, "the time of \(what)'s last byte is wrong by \(error) us")
    }

    // MARK: Overdue answers

    /// Reports each overdue answer.
    mutating func expire(at now: Cycle) {
        let oldest = now - board.simulator.cycles(Self.answerLimit)
        let oldestOfAll = now - board.simulator.cycles(Self.lateLimit)
        for (type, list) in asked {
            for late in list.filter({ $0.isOwed && $0.arrival < oldest }) {
                report.unanswered += 1
                report.complain(late.arrival, "no answer \(type) with tag \(late.tag)")
            }
            asked[type] = list.filter { $0.arrival >= ($0.isOwed ? oldest : oldestOfAll) }
        }
        for (type, since) in owed where since < oldest {
            report.complain(since, "no \(type)")
            owed[type] = nil
        }
    }
}
