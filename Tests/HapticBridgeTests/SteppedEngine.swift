// An engine on the in-process board in simulated time, behind a line that can change what it carries.

import AHAP
import HapticCompiler
import TestSupport
import VirtualBoard

@testable import BridgeLink
@testable import HapticBridge

/// The board's side of an engine, a session and a board with one clock. Nothing waits.
final class SteppedEngine {
    let core = EngineCore(
        device: HapticDevice(name: "none") { throw LinkEnd.silent(0) }, locality: .all,
        givesWay: false)
    let board: InProcessBoard
    private(set) var session: LinkSession
    /// What becomes of a frame of the board on its way.
    var toHost: (Frame) -> [Frame] = { [$0] }
    /// Frames that the host has sent since the session began.
    private(set) var frameCount = 0
    /// The types of the newest of them by their sequence, as far as they have one.
    private(set) var sent: [UInt8: MessageType] = [:]
    private var toBoard: FrameDecoder
    private let mailbox: EngineMailbox
    private var service: EngineService?
    private var fromBoard: FrameDecoder
    private let encoder: FrameEncoder
    private var lineFree: BoardTime = 0
    /// What the board has sent that is still on the line.
    private var onTheLine: [SentByte] = []
    private static let sessionID: UInt32 = 0x1234_5678
    private static let stride: BoardTime = 250

    var now: Microseconds { board.now }
    /// What its streams are compiled for.
    var profile: DeviceProfile? { service?.profile }
    /// Whether the board's side of the engine is over.
    var isOver: Bool { core.state.withLock { $0.mailbox == nil } }

    init(actuators: Int = 1, configuration: ActuatorConfiguration = .coinLRA) throws {
        var options = InProcessBoard.Options()
        options.actuators = actuators
        options.configuration = configuration.bytes
        board = InProcessBoard(options: options)
        mailbox = EngineMailbox(core, wakeUp: try WakeUp(), at: board.now)
        session = LinkSession(sessionID: Self.sessionID, at: board.now)
        fromBoard = FrameDecoder(session: Self.sessionID)
        toBoard = FrameDecoder(session: Self.sessionID)
        encoder = FrameEncoder(session: Self.sessionID)
        while session.phase == .connecting { step() }
        core.state.withLock { state in
            (state.mailbox, state.run, state.runNumber) = (mailbox, .starting, 1)
        }
        service = EngineService(mailbox, on: session.welcome!, isOn: true, at: now)
    }

    /// Steps until the engine is started. Returns whether it is within so many microseconds.
    func start(within limit: Microseconds = 2_000_000) -> Bool {
        run(for: limit) { self.core.isRunning }
    }

    @discardableResult
    func run(for time: Microseconds, until condition: () -> Bool = { false }) -> Bool {
        let end = now + time
        while now < end {
            if condition() { return true }
            step()
        }
        return condition()
    }

    /// The host stands still; afterwards it finds the last bytes that the board has sent meanwhile.
    func sleep(for time: Microseconds, keeping count: Int = 4_096) {
        board.advance(to: now + time)
        onTheLine = (onTheLine + board.takeSent()).suffix(count)
        receive()
    }

    private func step() {
        session.poll(at: now)
        service?.advance(&session, at: now, beside: [])
        send()
        board.advance(to: now + Self.stride)
        onTheLine += board.takeSent()
        receive()
    }

    private func send() {
        let byteTime = session.timing.byteTime
        let unsent = Int(max(0, lineFree - now) / byteTime)
        let output = session.takeOutput(limit: Link.unsentMax - unsent, at: now)
        guard !output.isEmpty else { return }
        for frame in output.compactMap({ toBoard.receive($0) }) {
            frameCount += 1
            if frame.type.isSequenced { sent[frame.sequence] = frame.type }
        }
        lineFree = max(lineFree, now) + BoardTime(output.count) * byteTime
        board.send(output, at: now)
    }

    private func receive() {
        let arrived = onTheLine.prefix { $0.time <= now }
        onTheLine.removeFirst(arrived.count)
        for sent in arrived {
            guard let frame = fromBoard.receive(sent.byte) else { continue }
            for frame in toHost(frame) { session.receive(encoder.encode(frame), at: now) }
        }
        react()
    }

    private func react() {
        while let event = session.nextEvent() {
            service?.handle(event, &session, at: now)
            if case .ended(let reason) = event { service?.lose(HapticError(connecting: reason)) }
        }
        guard let end = service?.end else { return }
        service = nil
        mailbox.tell(end)
    }

    /// An ACK as that of a board which has rejected so many.
    func acknowledging(_ frame: Frame, rejects: UInt8) -> Frame {
        guard case .acknowledge(var ack) = try? Message(type: frame.type, payload: frame.payload)
        else { return frame }
        ack.rejects = rejects
        return Frame(.acknowledge(ack))
    }

    /// The level that the chip was given last.
    var level: Int { board.transactions.levels.last.map { Int($0.value) } ?? 0 }
}

extension Frame {
    /// The REJECT of a query that an answer was for.
    func rejecting(_ query: MessageType) -> Frame {
        Frame(.reject(Reject(type: query, code: .range)), sequence: sequence)
    }
}
