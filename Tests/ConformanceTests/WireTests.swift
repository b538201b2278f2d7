// Faults on the bus wires and the serial line of the simulated board.

import BridgeLink
import TestSupport
import Testing
import VirtualBoard

@Suite(.enabled(if: ConformanceBoard.simulated.absence == nil, "the simulator is not built"))
struct WireTests {
    private func simulated(_ rig: Rig) throws -> LockStepBoard {
        try #require(rig.board as? LockStepBoard)
    }

    @Test func aClockLineThatIsHeldLowSwitchesTheChipOff() async throws {
        try await ConformanceBoard.simulated.test { rig in
            rig.provoked = [.chip, .staleStart]
            let start = try rig.begin(StreamSample.held)
            try rig.run(to: start &+ 50_000)
            let board = try simulated(rig)
            board.busIsStuck(true)
            // The chip's health is read every 33 ms, with three attempts of 2 ms each.
            rig.link.run(for: 60_000)
            #expect(!board.isEnabled)
            #expect(rig.drive == 0)
            #expect(try rig.link.status().faults.contains(.bus))
            #expect(try rig.link.actuator().state == .fault)
            board.busIsStuck(false)
            try rig.connect()
            #expect(try rig.waitForRest())
        }
    }

    @Test(arguments: [1, 5, 8])
    func aDataLineThatTheChipHoldsIsClockedFree(_ clocks: Int) async throws {
        try await ConformanceBoard.simulated.test { rig in
            let sample = StreamSample.tapsOverARamp
            rig.link.begin(sample.bytes)
            #expect(rig.link.run(limit: 1_000_000) { _ in rig.drive != 0 })
            try simulated(rig).chipHoldsData(untilClocks: clocks)
            #expect(rig.link.run(limit: 3_000_000) { $0.current?.outcome != nil })
            #expect(try rig.link.current?.outcome?.get() == .played)
            #expect(try rig.link.status().busErrors >= 1)
        }
    }

    @Test func aSlowChipIsWaitedFor() async throws {
        try await ConformanceBoard.simulated.test { rig in
            // The chip stretches SCL by 30 us after each byte, which is within the 2 ms of a
            // transfer.
            try simulated(rig).chipStretchesClock(480)
            let sample = StreamSample.taps
            let played = try PlayedPattern(
                sample.bytes, sample.events, limit: 3_000_000, on: rig.link)
            #expect(played.comparison.mismatches.isEmpty)
            #expect(try rig.link.status().busErrors == 0)
        }
    }

    @Test(arguments: [115_200, 230_400, 500_000])
    func atAWrongRateNothingMoves(_ rate: Int) async throws {
        try await ConformanceBoard.simulated.test { rig in
            let board = try simulated(rig)
            let count = board.driveChanges.count
            board.hostRate(rate)
            rig.link.run(for: 100_000)
            _ = rig.link.session.stop()
            rig.link.run(for: 200_000)
            board.hostRate(250_000)
            #expect(board.driveChanges.count == count)
            rig.link.run(for: 1_500_000)
        }
    }
}
