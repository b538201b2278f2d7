// Tests that the in-process board is deterministic, resets like a real board, and has its own
// state.

import BridgeLink
import CBridgeProtocol
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct InProcessBoardTests {
    /// The event code of a tap, a rising ramp, a tap over the ramp, a falling ramp, and END.
    private static let stream = EventStreamEncoder.encode([
        StreamEvent(.tap(intensity: 200, sharpness: 128), at: 0),
        StreamEvent(.levelRamp(to: 220, duration: 400), at: 200),
        StreamEvent(.tap(intensity: 255, sharpness: 255), at: 400),
        StreamEvent(.levelRamp(to: 0, duration: 300), at: 700),
        StreamEvent(.end, at: 1_000),
    ])

    private static func playedBoard() throws -> InProcessBoard {
        let board = InProcessBoard.configured()
        let link = IdealLink(board)
        #expect(link.connect())
        let playback = try #require(link.play(stream, limit: 3_000_000))
        #expect(try playback.outcome?.get() == .played)
        return board
    }

    @Test func theSameCallsGiveTheSameTrace() throws {
        let one = try Self.playedBoard()
        let other = try Self.playedBoard()
        #expect(one.transactions == other.transactions)
        #expect(one.driveChanges == other.driveChanges)
        #expect(one.driveChanges.count > 30)
    }

    @Test func bytesTakeTheirTimeOnTheLine() throws {
        let board = InProcessBoard.configured()
        board.send([0, 0, 0], at: 0)
        board.advance(to: 20_000)
        let sent = board.drainSent()
        #expect(sent.count > 10, "the board sends NO_SESSION at boot")
        for (earlier, later) in zip(sent, sent.dropFirst()) {
            #expect(later.time - earlier.time >= 40, "ten bits at 250,000 baud")
        }
    }

    @Test func aResetInTheMiddleLeavesTheChipAtRestAndTheSessionLost() throws {
        let board = InProcessBoard.configured()
        let link = IdealLink(board)
        #expect(link.connect())
        link.begin(Self.stream)
        link.run(for: 120_000)
        #expect(board.driveChanges.last?.drive != 0)
        board.reset(cause: BRIDGE_RESET_WATCHDOG)
        let resetAt = board.now
        #expect(link.run(limit: 300_000) { $0.session.phase == .ended })
        #expect(link.session.endReason == .sessionLost(cause: .watchdog, bootCount: 2))
        // The chip has kept its level while EN was low. From the rise of EN until the transfer that
        // resets the chip, the chip would drive this level, but its output stage needs at least 0.6
        // ms to start.
        board.advance(to: resetAt + 50_000)
        let after = board.driveChanges.filter { $0.time > resetAt }
        try #require(after.map { $0.drive == 0 } == [true, false, true])
        #expect(after[2].time - after[1].time <= 100)
    }

    @Test func aSavedConfigurationSurvivesAReset() throws {
        let board = InProcessBoard()
        let link = IdealLink(board)
        #expect(link.connect())
        link.session.send(.configure(.coinLRA, actuator: 0))
        link.session.send(.save(actuator: 0))
        link.run(for: 100_000)
        #expect(board.storedConfiguration == ActuatorConfiguration.coinLRA.bytes)
        board.reset(cause: BRIDGE_RESET_EXTERNAL)
        let again = IdealLink(board, sessionID: 7)
        #expect(again.connect())
        let playback = try #require(again.play(Self.stream, limit: 3_000_000))
        #expect(try playback.outcome?.get() == .played)
    }

    @Test func aCalibrationIsKeptAliveByTheSession() throws {
        let board = InProcessBoard.configured()
        let link = IdealLink(board)
        #expect(link.connect())
        link.run(for: 30_000)
        link.session.send(.calibrate(actuator: 0))
        link.run(for: 2_500_000)
        link.session.ask(.actuator(0))
        link.run(for: 10_000)
        let answer = link.events.reversed().lazy.compactMap { event in
            if case .actuator(let status, _) = event { status } else { nil }
        }.first
        let status = try #require(answer)
        #expect(status.state == .atRest)
        #expect(status.calibration == .passed)
    }
}
