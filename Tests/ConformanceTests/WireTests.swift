// Tests of faults on the bus wires and on the serial line of the simulated boards.

import BridgeLink
import TestSupport
import Testing
import VirtualBoard

@Suite struct WireTests {
    private func simulated(_ rig: Rig) throws -> LockStepBoard {
        try #require(rig.board as? LockStepBoard)
    }

    @Test(arguments: ConformanceBoard.lockStep)
    func aClockLineThatIsHeldLowSwitchesTheChipOff(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            rig.provoked = [.chip, .staleStart]
            let start = try rig.begin(StreamSample.held)
            try rig.run(to: start &+ 50_000)
            let board = try simulated(rig)
            board.busIsStuck(true)
            // The board reads the chip's status every 33 ms, with three attempts of 2 ms each.
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

    @Test(arguments: ConformanceBoard.lockStep, [1, 5, 8])
    func aDataLineThatTheChipHoldsIsClockedFree(
        _ board: ConformanceBoard, _ clocks: Int
    ) async throws {
        try await board.test { rig in
            let sample = StreamSample.tapsOverARamp
            rig.link.begin(sample.bytes)
            #expect(rig.link.run(limit: 1_000_000) { _ in rig.drive != 0 })
            try simulated(rig).chipHoldsData(untilClocks: clocks)
            #expect(rig.link.run(limit: 3_000_000) { $0.current?.outcome != nil })
            #expect(try rig.link.current?.outcome?.get() == .played)
            #expect(try rig.link.status().busErrors >= 1)
        }
    }

    @Test(arguments: ConformanceBoard.lockStep)
    func aSlowChipIsWaitedFor(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            // The chip holds SCL low for 30 us after each byte, so a transfer remains within its
            // limit of 2 ms.
            let board = try simulated(rig)
            board.chipStretchesClock(board.simulator.cycles(30))
            let sample = StreamSample.taps
            let played = try PlayedPattern(
                sample.bytes, sample.events, limit: 3_000_000, on: rig.link)
            #expect(played.comparison.mismatches.isEmpty)
            #expect(try rig.link.status().busErrors == 0)
        }
    }

    @Test(arguments: ConformanceBoard.lockStep.filter(\.hasBaudRate), [115_200, 230_400, 500_000])
    func atAWrongRateNothingMoves(_ board: ConformanceBoard, _ rate: Int) async throws {
        try await board.test { rig in
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
