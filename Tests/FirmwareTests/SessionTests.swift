// Tests of sessions: the host from which the board accepts frames, the loss of a session, and the
// dead-man timer (SPEC 3, 9).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct SessionTests {
    @Test func whatABoardSaysBeforeAnyoneSpeaksIsNoSessionOnly() {
        let board = InProcessBoard.tested()
        board.advance(to: 300_000)
        // The board accepts frames of class CONNECT in any session, but considers other frames
        // damaged.
        let heard = DeviceFrames.receive(board.drainSent().map(\.byte), session: 0xDEAD_BEEF)
        #expect(heard.bodies.map { $0.prefix(5) } == [[0x03, 0x00, 0x01, 0x01, 0x00]])
        #expect(heard.damaged == 0)
    }

    @Test func everyFrameWithoutASessionIsAnsweredWithNoSession() {
        let bench = Bench()
        bench.keepsAlive = false
        bench.run(for: 20_000)
        for bytes in [
            bench.wire(0x21, []), bench.wire(0x40, [0, 1, 0, 0, 0]),
            bench.wire(0x10, [1, 0, 0, 0]),
            [0x05, 0x11, 0x00],
        ] {
            bench.forget()
            bench.send(bytes)
            bench.run(for: 10_000)
            #expect(bench.heard.map(\.frame.type.rawValue) == [0x03])
        }
        #expect(bench.core.counters.damaged_frames == 4)  // the session number must not be 0
    }

    @Test func welcomeSaysWhatTheBoardIs() throws {
        let bench = Bench()
        bench.connect()
        let payload = try #require(bench.frames(0x02).first).payload
        #expect(Array(payload[..<7]) == [1, 1, 1, 0x78, 0x56, 0x34, 0x12])
        #expect(Array(payload[7..<11]) == [0x17, 0, 0, 0])  // REVISE, calibration, storage
        #expect(Array(payload[11..<21]) == [0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, 0, 1])
        #expect(Array(payload[21..<23]) == [1, 1])
        #expect(Array(payload[25..<31]) == [192, 0, 64, 1, 1, 0])
        #expect(payload[35] == 1)  // a virtual board
        #expect(payload.count == 36)
    }

    @Test(arguments: [(2, 9), (0, 0)] as [(UInt8, UInt8)])
    func withoutAVersionInCommonNothingChanges(lowest: UInt8, highest: UInt8) {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 10_000)
        bench.send(bench.wire(0x01, [lowest, highest, 1, 2, 3, 4, 0, 0, 0, 0]))
        bench.run(for: 10_000)
        #expect(bench.frames(0x02).last?.payload.prefix(7) == [0, 1, 1, 1, 2, 3, 4])
        #expect(bench.drive == 200)
        #expect(bench.streamStatus().state == .playing)
    }

    @Test func aHelloOfTheSameSessionIsOnlyAnswered() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 10_000)
        bench.send(bench.wire(0x01, [1, 1, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0]))
        bench.run(for: 10_000)
        #expect(bench.frames(0x02).count == 1)
        #expect(bench.drive == 200)
        #expect(bench.core.answers.next_sequence == bench.sequence)
    }

    @Test func sessionZeroIsRefused() {
        let bench = Bench()
        bench.send(bench.wire(0x01, [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]))
        bench.run(for: 10_000)
        #expect(bench.frames(0x02).last?.payload.first == 0)
        #expect(bench.core.receiver.session == 0)
    }

    @Test func aSecondHostBringsEverythingToRestAndTakesOver() {
        let bench = Bench.connected()
        bench.command(0x46, [1, 0, 100])
        bench.ask(0x11, [1, 1, 0, 1])
        bench.ask(0x11, [2, 1, 0, 0])
        let start = bench.play([0xB0, 255, 0x91, 0x90, 0x03, 255, 0, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 105_000)
        #expect(bench.drive == 100)
        let old = bench.nextCommand(0x40, [0, 1, 0, 0, 0])
        bench.connect(session: 0xCAFE_F00D)
        #expect(bench.drive == 0)
        #expect(bench.runToRest(limit: 40_000))
        #expect(bench.streamStatus().state == .closed)
        #expect(bench.status().gain == 255)
        // The board now counts frames of the first host as damaged, and they have no effect.
        let damaged = bench.core.counters.damaged_frames
        bench.send(old)
        bench.run(for: 10_000)
        #expect(bench.core.counters.damaged_frames == damaged + 1)
        #expect(bench.core.answers.next_sequence == 0)
        bench.ask(0x10, [1, 0, 0, 0])
        #expect(bench.frames(0x90).last?.payload == [1])
    }

    @Test func aResetEndsTheSessionAndTheDrive() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000)
        bench.forget()
        bench.keepsAlive = false
        bench.board.reset(cause: BRIDGE_RESET_WATCHDOG)
        bench.run(for: 1_000)
        #expect(bench.drive == 0)
        bench.send(bench.wire(0x21, []))
        bench.run(for: 30_000)
        let answers = bench.frames(0x03)
        #expect(answers.count == 2)
        #expect(answers.allSatisfy { Array($0.payload[..<3]) == [3, 2, 0] })
        #expect(bench.isAtRest())
        // EN rises while the chip still contains the old level. Only a reset of the chip clears the
        // level.
        bench.provoked = [.staleStart]
    }

    @Test func theDeadManBringsToRestExactlyOnce() throws {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x8D, 0x06, 0x00])
        bench.keepsAlive = false
        bench.run(to: start + 50_000)
        #expect(bench.drive == 255)
        bench.send(bench.wire(0x20, []))
        let last = bench.now + 8 * 40
        bench.run(to: last + 2_000_000)
        let silent = try #require(bench.board.driveChanges.last)
        #expect(silent.drive == 0)
        #expect((250_000...250_500).contains(silent.time - last))
        let status = bench.status()
        #expect(status.deadManTrips == 1)
        #expect(status.faults == .deadMan)
        #expect(bench.streamStatus().state == .closed)
        #expect(bench.isAtRest())
    }

    @Test func damagedFramesDoNotKeepTheDeadManContent() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x8D, 0x06, 0x00])
        bench.keepsAlive = false
        var broken = bench.wire(0x20, [])
        broken[2] ^= 1
        while bench.now < start + 400_000 {
            bench.send(broken)
            bench.run(for: 20_000)
        }
        #expect(bench.drive == 0)
        #expect(bench.core.counters.dead_man_trips == 1)
    }

    @Test func withinTheDeadMansTimeNothingIsStopped() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x8D, 0x06, 0x00])
        bench.keepsAlive = false
        while bench.now < start + 2_000_000 {
            bench.send(bench.wire(0x20, []))
            bench.run(for: 249_000)
        }
        #expect(bench.drive == 255)
        #expect(bench.core.counters.dead_man_trips == 0)
    }

    @Test func aStartIsTheLastFrameReceivedWhileTheChipWakesAndWaits() {
        // The start of the stream is 10 s in the future. The actuator is awake but not driven, and
        // the dead-man timer closes the stream before its start.
        let bench = Bench.connected()
        bench.load([0xB0, 255, 0xF1, 40, 0x00])
        bench.start(at: bench.now + 10_000_000)
        bench.keepsAlive = false
        bench.run(for: 400_000)
        #expect(bench.isAtRest())
        bench.run(for: 11_000_000)
        #expect(bench.board.driveChanges.isEmpty)
        #expect(bench.core.counters.dead_man_trips == 1)
    }

    @Test func theDeadManEndsACalibrationOnceHoweverLongTheBrake() {
        var configuration = ActuatorConfiguration.testLRA
        configuration.brake = 255
        let bench = Bench.connected(configuration)
        bench.command(0x49, [0])
        bench.keepsAlive = false
        bench.run(for: 1_000_000)
        #expect(bench.isAtRest())
        #expect(bench.core.counters.dead_man_trips == 1)
        #expect(bench.drive == 0)
    }

    @Test func framesThatTheDeviceItselfHasSentAreNoSignOfLife() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.keepsAlive = false
        for _ in 0..<30 {
            bench.send(bench.wire(0x80, [0, 0, 0, 0, 0]))
            bench.run(for: 10_000)
        }
        #expect(bench.now > start + 250_000)
        #expect(bench.drive == 0)
        #expect(bench.core.counters.dead_man_trips == 1)
    }

    /// Checks time stamps that are later than the time of the poll, because an interrupt may stamp
    /// a frame after the port has read its clock.
    @Test(arguments: [1, 40, 1_000, 50_000] as [UInt32])
    func aFrameStampedLaterThanThePollIsNoSilence(ahead: UInt32) {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 20_000)
        let clock = bench.board.deviceClock(at: bench.now)
        for byte in bench.wire(0x20, []) {
            bridge_receive(bench.board.core, byte, clock &+ ahead)
        }
        for _ in 0..<50 { _ = bridge_poll(bench.board.core, clock) }
        bench.run(for: 1_000)
        #expect(bench.core.counters.dead_man_trips == 0)
        #expect(bench.drive == 200)
    }

    /// Checks that a HELLO that is repeated while a CLOCK is pending does not change the time stamp
    /// of the CLOCK.
    @Test func clockAndHelloAreStampedEachForItself() throws {
        let bench = Bench.connected()
        let hello = bench.wire(0x01, [1, 1] + bench.session.bytes + [0, 0, 0, 0])
        let clock = bench.wire(0x20, [], sequence: 7)
        bench.forget()
        let start = bench.now
        bench.send(clock + hello)
        bench.run(for: 20_000)
        let reply = try #require(bench.frames(0xA0).first { $0.sequence == 7 })
        let arrival = bench.board.deviceClock(at: start + BoardTime(clock.count) * 40)
        #expect(Array(reply.payload.prefix(4)) == arrival.bytes)
        let welcome = try #require(bench.frames(0x02).first)
        let helloArrival = arrival &+ UInt32(hello.count) * 40
        #expect(Array(welcome.payload[31..<35]) == helloArrival.bytes)
    }
}
