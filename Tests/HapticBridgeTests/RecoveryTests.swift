// Tests in which a board is reset or unplugged during a pattern, and tests of the actions that a
// program can take afterwards.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts
import TestSupport
import Testing

@Suite(.virtualTime) struct RecoveryTests {
    /// The event code of level 200 for 20 s, followed by END.
    private static let long: [UInt8] = [0xB0, 200, 0xF1, 0x80, 0xF1, 0x04, 0x00]
    /// The event code of level 90 for 10 ms, followed by END.
    private static let short: [UInt8] = [0xB0, 90, 0xF1, 40, 0x00]

    private let actuator = ActuatorMask(index: 0)

    /// Plays for 20 s, and causes `trouble` once the actuator is driven. Returns the error that the
    /// playback throws, or nil if it throws no error.
    private func play(
        on board: HapticBoard, of live: LiveBoard, until trouble: () -> Void
    ) -> (any Error)? {
        var hasHappened = false
        do {
            try board.play(events: Self.long, tickMicroseconds: 250, on: actuator) { _ in
                if live.level == 200, !hasHappened {
                    trouble()
                    hasHappened = true
                }
                return true
            }
            return nil
        } catch {
            return error
        }
    }

    @Test func aResetIsReportedWithItsCauseAndTheBoardIsInANewSession() throws {
        let live = try LiveBoard()
        let board = try HapticBoard(openPort(live.port))
        defer { board.close() }
        let boots = board.welcome.bootCount
        let error = play(on: board, of: live) { live.reset() }
        let loss = LinkEnd.sessionLost(cause: .external, bootCount: boots &+ 1)
        #expect(error as? PlaybackError == .link(loss))
        #expect(board.link.session.phase == .open)
        #expect(board.welcome.bootCount == boots &+ 1)
        #expect(board.link.session.clock.deviceTime(at: Link.now()) != nil)

        let reset = try #require(live.transactions.last).start
        let playing = try board.play(events: Self.short, tickMicroseconds: 250, on: actuator)
        #expect(playing.completion == .played && playing.progress.faults.isEmpty)
        #expect(Set(live.levels(since: reset)) == [90], "no pattern from before the reset plays")
    }

    @Test func aCableThatIsPulledAndPluggedInAgainNeedsANewSessionOnly() throws {
        let folder = Folder()
        let path = folder.path("port")
        let first = try LiveBoard()
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: first.port)
        let board = try HapticBoard(openPort(path))
        defer { board.close() }
        let error = play(on: board, of: first) { _ = first.end() }
        #expect(error as? TransportError == .unplugged(path: path))
        // Removes the symbolic link, as udev does, because the next board may be assigned the same
        // pseudo-terminal number.
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: TransportError.notFound(path: path)) {
            try board.reconnect(within: .milliseconds(100))
        }

        let second = try LiveBoard()
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: second.port)
        try board.reconnect()
        let playing = try board.play(events: Self.short, tickMicroseconds: 250, on: actuator)
        #expect(playing.completion == .played)
        #expect(Set(second.levels(since: 0)) == [90])
    }

    @Test func aResetWhileNothingPlaysIsReportedOnlyWithTheNextRequest() throws {
        let live = try LiveBoard()
        let board = try HapticBoard(openPort(live.port))
        defer { board.close() }
        let before = live.transactions.count
        live.reset()
        #expect(wait { live.transactions.count > before }, "the chip is set up again")
        #expect(throws: LinkEnd.self) { try board.status() }
        #expect(try board.status().faults.isEmpty)
    }
}
