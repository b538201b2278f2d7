// SteppedEngine: an engine on the in-process board in simulated time, over a line that can modify
// frames.

import HapticCompiler
import HapticPatterns
import TestSupport
import VirtualBoard

@testable import BoardEngine
@testable import BridgeLink
@testable import DRV2605
@testable import HapticBoards
@testable import HapticBridge
@testable import SerialPorts

/// The board's side of an engine, with a session and a board on one clock, without real waiting.
final class SteppedEngine {
    let core = EngineCore(
        device: HapticDevice(name: "none") { throw LinkEnd.silent(0) }, locality: .all)
    let board: InProcessBoard
    private var pump: SessionPump
    /// A closure that replaces a frame from the board with the frames that it returns.
    var toHost: (Frame) -> [Frame] = { [$0] }
    /// The number of frames that the host has sent since the session began.
    private(set) var frameCount = 0
    /// The types of the most recently sent frames, keyed by their sequence numbers.
    private(set) var sent: [UInt8: MessageType] = [:]
    private var toBoard: FrameDecoder
    private let mailbox: EngineMailbox
    private var service: EngineService?
    private var streams = BoardStreams()
    private var fromBoard: FrameDecoder
    private let encoder: FrameEncoder
    private static let sessionID: UInt32 = 0x1234_5678
    private static let stride: BoardTime = 250

    var now: HostTime { pump.now }
    var session: LinkSession { pump.session }
    /// The profile for which the engine's streams are compiled.
    var profile: DeviceProfile? { streams.first(of: mailbox.number)?.profile }
    /// True if the board's side of the engine has ended.
    var isOver: Bool { core.state.withLock { $0.mailbox == nil } }

    init(actuators: Int = 1, configuration: ActuatorConfiguration = .coinLRA) throws {
        var options = InProcessBoard.Options()
        options.actuators = actuators
        options.configuration = configuration.bytes
        board = InProcessBoard(options: options)
        pump = SessionPump(board, sessionID: Self.sessionID)
        mailbox = EngineMailbox(for: .engine(.all), eventSignal: try EventSignal(), at: pump.now) {
            [core] in
            core.handle($1, from: $0)
        }
        fromBoard = FrameDecoder(session: Self.sessionID)
        toBoard = FrameDecoder(session: Self.sessionID)
        encoder = FrameEncoder(session: Self.sessionID)
        while session.phase == .connecting { step() }
        core.state.withLock { state in
            (state.mailbox, state.run, state.runNumber) = (mailbox, .starting, 1)
        }
        service = EngineService(mailbox, on: session.welcome!, at: now)
    }

    /// Steps until the engine has started. Returns false if the engine has not started within
    /// `limit` microseconds.
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

    /// Suspends the host. Afterwards, the host receives only the last `count` bytes that the board
    /// has sent.
    func sleep(for time: Microseconds, keeping count: Int = 4_096) {
        board.advance(to: board.now + time)
        pump.keepLast(count)
        receive()
    }

    private func step() {
        pump.session.poll(at: now)
        service?.advance(&pump.session, &streams, at: now, isAlone: true)
        streams.carryOutUnfelt(at: now)
        streams.advance(&pump.session, at: now)
        streams.feed(&pump.session, at: now)
        let finished = streams.removeFinished(at: now)[mailbox.number] ?? []
        service?.follow(&pump.session, &streams, finished: finished, at: now, isAlone: true)
        pump.send { output in
            record(output)
            return output
        }
        board.advance(to: board.now + Self.stride)
        receive()
    }

    private func record(_ output: [UInt8]) {
        for frame in output.compactMap({ toBoard.receive($0) }) {
            frameCount += 1
            if frame.type.isSequenced { sent[frame.sequence] = frame.type }
        }
    }

    private func receive() {
        for byte in pump.drainArrived() {
            guard let frame = fromBoard.receive(byte) else { continue }
            for frame in toHost(frame) { pump.session.receive(encoder.encode(frame), at: now) }
        }
        react()
    }

    private func react() {
        while let event = pump.session.nextEvent() {
            streams.handle(event, &pump.session, at: now)
            service?.handle(event, pump.session, streams, at: now)
            if case .ended(let reason) = event { service?.lose(HapticError(connecting: reason)) }
        }
        guard let end = service?.end else { return }
        service = nil
        mailbox.report(end)
    }

    /// Returns a modified ACK frame of a board that has rejected `rejects` commands.
    func acknowledging(_ frame: Frame, rejects: UInt8) -> Frame {
        guard case .acknowledge(var ack) = try? Message(type: frame.type, payload: frame.payload)
        else { return frame }
        ack.rejects = rejects
        return Frame(.acknowledge(ack))
    }

    /// The last level written to the chip.
    var level: Int { board.transactions.levels.last.map { Int($0.value) } ?? 0 }
}

extension Frame {
    /// Returns a REJECT of a query, in place of the board's answer.
    func rejecting(_ query: MessageType) -> Frame {
        Frame(.reject(Reject(type: query, code: .range)), sequence: sequence)
    }
}
