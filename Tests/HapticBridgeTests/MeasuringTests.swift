// Tests of calibration and diagnosis through the library, on a board during playback.

import BridgeLink
import HapticBridge
import SerialPorts
import TestSupport
import Testing

@Suite(.virtualTime) struct MeasuringTests {
    /// The event code of level 200 for 20 s, followed by END.
    private static let long: [UInt8] = [0xB0, 200, 0xF1, 0x80, 0xF1, 0x04, 0x00]
    private let actuator = ActuatorMask(index: 0)

    @Test func whatPlaysIsNotDisturbedByWhoeverFollowsIt() throws {
        let live = try LiveBoard()
        let board = try HapticBoard(openPort(live.port))
        defer { board.close() }
        var hasAsked = false
        let playing = try board.play(events: Self.long, tickMicroseconds: 250, on: actuator) { _ in
            guard live.level == 200 else { return true }
            #expect(throws: RequestError.playing) { try board.calibrate(0) }
            #expect(throws: RequestError.playing) { try board.diagnose(0) }
            #expect(throws: RequestError.playing) { try board.status() }
            #expect(throws: RequestError.playing) { try board.stop() }
            hasAsked = true
            return false
        }
        #expect(hasAsked && playing.completion == .stopped && playing.progress.faults.isEmpty)
        #expect(!live.hasCalibrated)
        #expect(try board.calibrate(0).status.calibration == .passed)
        #expect(live.hasCalibrated && live.isAtRest)
    }

    @Test func anOpenStreamKeepsACalibrationFromStarting() throws {
        let live = try LiveBoard()
        let board = try HapticBoard(openPort(live.port))
        defer { board.close() }
        var playback = Playback(events: Self.long, actuators: actuator)
        board.link.withSession { playback.begin(&$0, at: $1) }
        let limit = Link.now() + 20_000_000
        while live.level != 200, Link.now() < limit {
            try board.link.carryOn(&playback, until: Link.now() + 5_000)
        }
        do {
            _ = try board.calibrate(0)
            Issue.record("the calibration was not rejected")
        } catch RequestError.rejected(let reject) {
            #expect(reject.code == .notAtRest)
            #expect("\(reject)".contains("not at rest"))
        }
        #expect(live.level == 200 && !live.hasCalibrated)
        try board.stop()
        #expect(wait { live.isAtRest })
    }
}

extension LiveBoard {
    /// True if GO has been written. The board writes GO only for a calibration or a diagnosis.
    fileprivate var hasCalibrated: Bool { transactions.contains { $0.write?.register == 0x0C } }
}
