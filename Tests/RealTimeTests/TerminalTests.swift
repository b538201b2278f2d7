// Tests of a link over a pseudo-terminal in real time.

import BridgeLink
import TestSupport
import Testing

@testable import SerialPorts

/// A pseudo-terminal with a model device at its other end. The device is advanced before every
/// read.
private final class BoardOnTerminal: Transport {
    let path: String
    var eventSignal: EventSignal? {
        get { terminal.eventSignal }
        set { terminal.eventSignal = newValue }
    }
    let device = ModelDevice()
    var streamEnd: Int?
    private let board = BoardEnd()
    private let terminal: PseudoTerminal
    private var playedUntil = Link.now()

    init() throws {
        path = board.path
        terminal = try PseudoTerminal(path: board.path)
    }

    func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        device.receive(board.readWhatIsHere())
        let elapsed = Int(Link.now() - playedUntil) / 1_000
        playedUntil += Microseconds(elapsed) * 1_000
        device.advance(milliseconds: elapsed, endsAt: streamEnd)
        board.write(device.nextOutput())
        return try terminal.read(upTo: count, timeout: min(timeout, 1_000))
    }

    func write(_ bytes: [UInt8]) throws(TransportError) -> Int { try terminal.write(bytes) }
    func unsentCount() throws(TransportError) -> Int { try terminal.unsentCount() }
    func close() { terminal.close() }
}

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct TerminalTests {
    @Test func aReadEndsAtItsTimeoutAndNotBefore() throws {
        let board = BoardEnd()
        let terminal = try PseudoTerminal(path: board.path)
        let start = Link.now()
        #expect(try terminal.read(upTo: 10, timeout: 5_000) == [])
        #expect((5_000...85_000).contains(Link.now() - start))
    }

    @Test func aLinkConnectsAsksAndPlays() throws {
        let board = try BoardOnTerminal()
        board.streamEnd = 60
        let link = Link(board)
        #expect(try link.connect().eventMemory == 512)
        #expect(try link.actuator(0).state == .atRest)
        try link.carryOut(.gain(Gain(actuators: .all, gain: 200)))
        var phases: [Playback.Phase] = []
        let events = [UInt8](repeating: 1, count: 60)
        let (completion, progress) = try link.play(
            Playback(events: events, actuators: .init(index: 0))
        ) {
            if phases.last != $0.phase { phases.append($0.phase) }
            return true
        }
        #expect(completion == .played && progress.position == 60 && progress.bytesSent == 60)
        #expect(board.device.eventBytes == events)
        try link.stop()
        #expect(board.device.stopCount == 1)
    }

    @Test func aRejectedCommandThrowsAndALostSessionThrowsOnceAndForAll() throws {
        let board = try BoardOnTerminal()
        board.device.rejectCode = { _ in .unsupported }
        let link = Link(board)
        _ = try link.connect()
        #expect(throws: RequestError.rejected(Reject(type: .enterBootloader, code: .unsupported))) {
            try link.carryOut(.enterBootloader)
        }
        board.device.reset()
        let loss = LinkEnd.sessionLost(cause: .watchdog, bootCount: 2)
        #expect(throws: loss) { try link.status() }
        #expect(throws: loss) { try link.status() }
    }
}
