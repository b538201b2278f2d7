// Bench: a host that sends the raw frames of a test to a board in virtual time and stores every
// frame that it receives.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import TestSupport
import Testing
import VirtualBoard

/// A frame from the board, with the time at which its delimiter ended.
struct Heard: Equatable {
    var time: BoardTime
    var frame: Frame
}

/// A misuse of the chip that a test causes deliberately and that the check at the end of the test
/// permits.
enum Provocation {
    case undefinedAccess
    case staleStart
    case damagedBytes
}

final class Bench {
    let board: InProcessBoard
    var session: UInt32 = 0x1234_5678
    var sequence: UInt8 = 0
    var linkTotal: UInt16 = 0
    private(set) var heard: [Heard] = []
    /// True if the host sends messages that prevent the dead-man timer from tripping.
    var keepsAlive = true

    /// The deliberate misuses of the chip, which the check at the end does not report.
    var provoked: Set<Provocation> = []

    private var decoder: FrameDecoder
    private var nextKeepAlive: BoardTime = 0

    init(_ board: InProcessBoard = .tested()) {
        self.board = board
        decoder = FrameDecoder(session: session)
    }

    /// Checks at the end of every test that OTP memory was not programmed, that no chip was woken
    /// with a nonzero level, that no undefined register was accessed, and that no unsupported mode
    /// was used.
    deinit {
        #expect(provoked.contains(.damagedBytes) || !chip.pointee.otp_programmed)
        #expect(provoked.contains(.staleStart) || chip.pointee.stale_rtp_starts == 0)
        #expect(provoked.contains(.damagedBytes) || chip.pointee.unmodelled_modes == 0)
        let register = chip.pointee.last_undefined_register
        let isClean = chip.pointee.undefined_accesses == 0
        #expect(provoked.contains(.undefinedAccess) || isClean, "last register \(register)")
    }

    var now: BoardTime { board.now }
    var core: bridge { board.core.pointee }
    var chip: UnsafeMutablePointer<drv2605_model> { board.chip }
    var actuator: actuator { board.core.pointee.actuators.0 }
    var stream: stream { board.core.pointee.streams.0 }

    // MARK: Sending

    /// Returns the encoded bytes of a frame with the session id of the bench.
    func wire(_ type: UInt8, _ payload: [UInt8], sequence: UInt8 = 0) -> [UInt8] {
        let frame = Frame(
            type: MessageType(rawValue: type), sequence: sequence, payload: payload)
        return FrameEncoder(session: session).encode(frame)
    }

    /// Returns the encoded bytes of a message with the next sequence number, without sending them.
    func nextCommand(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let bytes = wire(type, payload, sequence: sequence)
        sequence &+= 1
        linkTotal &+= UInt16(bytes.count)
        return bytes
    }

    func send(_ bytes: [UInt8]) { board.send(bytes, at: board.now) }

    /// Sends a sequenced message and waits for its answers. Returns the first REJECT.
    @discardableResult
    func command(_ type: UInt8, _ payload: [UInt8]) -> Reject? {
        exchange(nextCommand(type, payload))
    }

    /// Sends a query or an urgent message and waits for its answers. Returns the first REJECT.
    @discardableResult
    func ask(_ type: UInt8, _ payload: [UInt8] = [], tag: UInt8 = 0) -> Reject? {
        exchange(wire(type, payload, sequence: tag))
    }

    private func exchange(_ bytes: [UInt8]) -> Reject? {
        let count = heard.count
        send(bytes)
        run(for: BoardTime(bytes.count) * 40 + 6_000)
        return heard[count...].lazy.compactMap { $0.frame.reject }.first
    }

    /// Begins a session with HELLO, and resets the sequence number and the byte total.
    func connect(session: UInt32 = 0x1234_5678) {
        self.session = session
        decoder = FrameDecoder(session: session)
        (sequence, linkTotal) = (0, 0)
        send(wire(0x01, [1, 1] + session.bytes + [0, 0, 0, 0]))
        run(for: 10_000)
    }

    // MARK: Time

    func run(for time: BoardTime) { run(to: now + time) }

    func run(to end: BoardTime) {
        while now < end {
            if keepsAlive, nextKeepAlive <= now {
                send(wire(0x20, []))
                nextKeepAlive = now + 100_000
            }
            board.advance(to: min(end, now + 5_000))
            listen()
        }
    }

    /// Runs until `condition` is true. Returns false on timeout.
    @discardableResult
    func run(limit: BoardTime, until condition: () -> Bool) -> Bool {
        let end = now + limit
        while !condition() {
            guard now < end else { return false }
            run(for: 500)
        }
        return true
    }

    /// Runs until `count` transfers have ended, for at most 50 ms.
    func run(toTransaction count: Int) {
        let end = now + 50_000
        while board.transactions.count < count, now < end { board.advance(to: now + 20) }
    }

    private func listen() {
        for sent in board.drainSent() {
            if let frame = decoder.receive(sent.byte) {
                heard.append(Heard(time: sent.time, frame: frame))
            }
        }
    }

    // MARK: Received frames

    func forget() {
        heard.removeAll()
        board.forgetTrace()
    }

    func frames(_ type: UInt8) -> [Frame] {
        heard.map(\.frame).filter { $0.type.rawValue == type }
    }

    /// Returns the answer to GET_STATUS.
    func status() -> Status {
        ask(0x21, tag: 0x5A)
        return frames(0xA1).last { $0.sequence == 0x5A }.flatMap { $0.status }!
    }

    /// Returns the answer to GET_STREAM.
    func streamStatus() -> StreamStatus {
        ask(0x22, [0], tag: 0x5A)
        return frames(0xA2).last { $0.sequence == 0x5A }.flatMap { $0.stream }!
    }

    /// Returns the answer to GET_ACTUATOR.
    func actuatorStatus() -> ActuatorStatus {
        ask(0x23, [0], tag: 0x5A)
        return frames(0xA3).last { $0.sequence == 0x5A }.flatMap { $0.actuator }!
    }

    /// The values of registers 0x03 and 0x16 to 0x20 in the configuration.
    var image: [UInt8] { Array(configuration[21..<33]) }

    /// The 56 bytes of the answer to GET_CONFIGURATION.
    var configuration: [UInt8] {
        ask(0x24, [0], tag: 0x5A)
        return frames(0xA4).last.map { Array($0.payload.dropFirst()) } ?? []
    }

    var acknowledge: Acknowledge? { frames(0x80).last?.acknowledge }

    /// The writes to RTP_INPUT that the chip acknowledged.
    var levels: [LevelWrite] { board.transactions.levels }

    /// Returns the writes to RTP_INPUT at or after `start`, with times relative to `start`.
    func playedLevels(from start: BoardTime) -> [LevelWrite] {
        levels.played(from: start)
    }

    /// The register and the value of every acknowledged write, including the writes to RTP_INPUT.
    var writes: [[UInt8]] {
        board.transactions.filter { $0.isAcknowledged && $0.bytes.count == 3 }
            .map { Array($0.bytes[1...]) }
    }

    var drive: Int { Int(drv2605_model_drive(chip, UInt64(now))) }
}

extension drv2605_model {
    func registers(_ address: UInt8) -> UInt8 {
        withUnsafeBytes(of: registers) { $0[Int(address)] }
    }
}

extension FixedWidthInteger {
    /// The bytes in little-endian order, which is the order of all integers on the wire.
    var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}

extension Frame {
    var message: Message? { try? Message(type: type, payload: payload) }
    var reject: Reject? { if case .reject(let value)? = message { value } else { nil } }
    var status: Status? { if case .status(let value)? = message { value } else { nil } }
    var stream: StreamStatus? { if case .stream(let value)? = message { value } else { nil } }
    var actuator: ActuatorStatus? { if case .actuator(let value)? = message { value } else { nil } }
    var acknowledge: Acknowledge? {
        if case .acknowledge(let value)? = message { value } else { nil }
    }
}
