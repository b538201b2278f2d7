// Tests that STOP (SPEC 4.3) quickly brings all actuators to rest and that they stay at rest, at
// any time of its receipt.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct StopTests {
    /// The maximum time from STOP's last byte to level 0 on the bus, in microseconds: a transfer in
    /// progress, and the write itself.
    static let silence: BoardTime = 250
    /// The maximum time from level 0 on the bus to standby with read-back, in microseconds: the
    /// brake window of 29 ms, three transfers and polls.
    static let rest: BoardTime = 29_000 + 1_500

    /// A stream of levels, taps, a ramp, and a tap within a tap, with a total length of 120 ms.
    private static let pattern: [UInt8] =
        [0xB0, 120, 0x91, 40, 250, 0, 0x91, 20, 240, 255, 0xD1, 80, 20, 0xF0, 0x01]
        + [0x91, 100, 230, 255, 0xF1, 0x90, 0x01, 0x00]

    private func expectSilence(
        _ bench: Bench, from sent: BoardTime, _ moment: BoardTime,
        _ place: SourceLocation = #_sourceLocation
    ) {
        let arrival = sent + 12 * 40
        let levels = bench.levels.filter { $0.time > arrival + Self.silence }
        #expect(levels.allSatisfy { $0.value == 0 }, "STOP at \(moment)", sourceLocation: place)
        let drives = bench.board.driveChanges.filter { $0.time > arrival + 2 * Self.silence }
        #expect(drives.isEmpty, "STOP at \(moment)", sourceLocation: place)
        #expect(bench.drive == 0, sourceLocation: place)
    }

    @Test(arguments: 0..<12)
    func atEveryMomentOfAPatternItBringsTheActuatorToRest(part: Int) {
        // The runs send STOP at intervals of 331 us, from 25 ms before the start, while the
        // actuator wakes, until standby after the end.
        for index in 0..<50 {
            let moment = BoardTime(part * 50 + index) * 331 - 25_000
            let bench = Bench.connected()
            let start = bench.play(Self.pattern)
            bench.run(to: start + moment)
            let sent = bench.now
            bench.send(bench.wire(0x10, [1, bench.sequence] + bench.linkTotal.bytes))
            bench.run(to: sent + 480 + Self.rest)
            #expect(bench.isAtRest(), "STOP at \(moment)")
            bench.run(to: sent + 200_000)
            expectSilence(bench, from: sent, moment)
            #expect(bench.frames(0x90).map(\.payload) == [[1]])
            #expect(bench.streamStatus().state == .closed)
        }
    }

    @Test func duringTheChipsStartItIsAnsweredAndNothingPlays() {
        // The board receives OPEN and START while it is still setting up the chip. The runs send
        // STOP at intervals of 100 us during the setup.
        for moment in stride(from: 0, to: 10_000, by: 100) as StrideTo<BoardTime> {
            let bench = Bench()
            bench.send(bench.wire(0x01, [1, 1, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0]))
            var bytes = bench.nextCommand(0x40, [0, 1, 0, 0, 0])
            bytes += bench.nextCommand(0x44, [0, 0, 0xB0, 250, 0xF1, 0x90, 0x03, 0x00])
            bytes += bench.nextCommand(0x42, [0, 0, 1, 0, 0, 0, 0] + UInt32(250 << 24).bytes)
            bench.send(bytes)
            bench.run(to: 3_500 + moment)
            let sent = bench.now
            bench.send(bench.wire(0x10, [1, bench.sequence] + bench.linkTotal.bytes))
            bench.run(to: sent + 100_000)
            #expect(bench.isAtRest(), "STOP at \(moment)")
            #expect(bench.frames(0x90).map(\.payload) == [[1]])
            expectSilence(bench, from: sent, moment)
        }
    }

    @Test func aStartThatWasLostBeforeItNeverPlays() {
        let bench = Bench.connected()
        bench.load([0xB0, 200, 0xF1, 40, 0x00])
        let lost = bench.nextCommand(
            0x42, [0, 0, 1] + UInt32(20_000).bytes + UInt32(250 << 24).bytes)
        bench.stop(id: 1)
        bench.forget()
        bench.send(lost)  // this order is forbidden for a host, but possible on a line with errors
        bench.run(for: 200_000)
        #expect(bench.levels.isEmpty)
        #expect(bench.acknowledge?.nextSequence == bench.sequence)
        #expect(bench.command(0x40, [0, 1, 0, 0, 0]) == nil)
        let window = UInt16(BRIDGE_LINK_WINDOW)
        #expect(bench.acknowledge?.linkLimit == bench.linkTotal &+ window)
    }

    @Test(arguments: [0x20, 0x21, 0x22, 0x23, 0x24] as [UInt8])
    func isAnsweredBeforeWhatFollowsFromItWhateverWasAskedLast(query: UInt8) {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0x90, 0x03, 0x00])
        bench.run(to: start + 20_000)
        bench.ask(query, [0], tag: 1)
        bench.forget()
        bench.stop(id: 1)
        #expect(bench.heard.first?.frame.type.rawValue == 0x90)
        #expect(bench.frames(0xA2).first?.stream?.state == .closed)
    }

    @Test func aRepeatedStopIsOnlyAnswered() {
        let bench = Bench.connected()
        bench.stop(id: 1)
        let start = bench.play([0xB0, 200, 0xF1, 0x90, 0x03, 0x00])
        bench.run(to: start + 20_000)
        bench.stop(id: 1)
        #expect(bench.frames(0x90).map(\.payload) == [[1]])
        #expect(bench.drive == 200)
        #expect(bench.streamStatus().state == .playing)
        bench.stop(id: 2)
        #expect(bench.drive == 0)
        #expect(bench.runToRest(limit: 100_000))
    }

    @Test(arguments: [(1, true), (127, true), (128, false), (255, false)] as [(UInt8, Bool)])
    func theDeviceFollowsTheHostsCountersWhenTheyAreAhead(distance: UInt8, follows: Bool) {
        let bench = Bench.connected()
        let present = bench.core.answers.next_sequence
        bench.ask(0x10, [1, present &+ distance] + UInt16(5_000).bytes)
        #expect(bench.core.answers.next_sequence == (follows ? present &+ distance : present))
        #expect(bench.core.answers.link_limit == UInt16(BRIDGE_LINK_WINDOW) + (follows ? 5_000 : 0))
    }

    @Test func aStreamOpenedAndStartedInTheSameBreathDoesNotInheritALevel() {
        // The core receives all messages at the same time, without a poll in between. The messages
        // are OPEN, or CLOSE and OPEN, followed by START.
        for message in [0x40, 0x41] as [UInt8] {
            let bench = Bench.connected()
            let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
            bench.run(to: start + 50_000)
            #expect(bench.drive == 255)
            var bytes = message == 0x41 ? bench.nextCommand(0x41, [0]) : []
            bytes += bench.nextCommand(0x40, [0, 1, 0, 0, 0])
            bytes += bench.nextCommand(0x44, [0, 0, 0xB0, 100, 0xF1, 40, 0x00])
            bytes += bench.nextCommand(
                0x42, [0, 0, 1] + UInt32(200_000).bytes + UInt32(250 << 24).bytes)
            let clock = bench.board.deviceClock(at: bench.now)
            for byte in bytes { bridge_receive(bench.board.core, byte, clock) }
            bench.run(for: 1_000)
            #expect(bench.drive == 0)
            bench.run(for: 205_000)
            #expect(bench.drive == 100)
            #expect(bench.runToRest())
        }
    }

    /// Checks that a port is asked to poll the bus as soon as the core has handled the results of
    /// the bus, in the same turn as the STOP, and at no time during playback.
    @Test func afterItAPortPollsTheBusWithoutWaitingForTheAnswers() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0x90, 0x03, 0x00])
        bench.run(to: start + 20_000)
        let clock = bench.board.deviceClock(at: bench.now)
        func polls(_ count: Int) -> [Bool] {
            (0..<count).map { _ in
                _ = bridge_poll(bench.board.core, clock)
                return bridge_rest_is_urgent(bench.board.core)
            }
        }
        #expect(polls(30).allSatisfy { !$0 })
        for byte in bench.wire(0x10, [1, bench.sequence] + bench.linkTotal.bytes) {
            bridge_receive(bench.board.core, byte, clock)
        }
        #expect(polls(4).contains(true))
        #expect(bench.runToRest(limit: 100_000))
        #expect(polls(30).allSatisfy { !$0 })
    }

    @Test func closeBringsItsActuatorToRest() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 255, 0x91, 40, 250, 0, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 15_000)
        #expect(bench.command(0x41, [0]) == nil)
        #expect(bench.drive == 0)
        #expect(bench.runToRest(limit: 32_000))
        #expect(bench.command(0x41, [0]) == nil)  // closing a closed stream is not a fault
        #expect(bench.command(0x41, [1])?.code == .noStream)
    }

    /// Checks that the first id in a session may have any value, so that even a faulty host can
    /// stop the actuators.
    @Test func aFirstStopWithIdZeroIsCarriedOut() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 20_000)
        bench.stop(id: 0)
        #expect(bench.frames(0x90).map(\.payload) == [[0]])
        #expect(bench.drive == 0)
        #expect(bench.streamStatus().state == .closed)
    }

    @Test func aFirstMuteWithIdZeroIsCarriedOut() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 20_000)
        bench.ask(0x11, [0, 1, 0, 1])
        #expect(bench.frames(0x91).map(\.payload) == [[0]])
        #expect(bench.drive == 0)
    }
}
