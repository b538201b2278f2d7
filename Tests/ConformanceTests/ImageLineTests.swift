// Tests of the image's serial line: the image receives arbitrary bytes, in any cycle and in any
// number (SPEC 2, 4.4, 4.5).

import BridgeLink
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@testable import bridge_soak

@Suite struct ImageLineTests {
    private func expectNothing(_ report: LineReport, place: SourceLocation = #_sourceLocation) {
        #expect(
            report.complaints.isEmpty, "\(report.complaints.joined(separator: "\n"))",
            sourceLocation: place)
        #expect(report.stamps > 0, sourceLocation: place)
    }

    /// Checks 3,000 queries per seed; `make soak-board` sends more.
    @Test(arguments: BoardSimulator.here, Proof.thinned(0..<2 as Range<UInt64>, every: 2))
    func eachQueryDuringDensePlayIsAnsweredOnceAndEachFrameIsWhole(
        _ simulator: BoardSimulator, seed: UInt64
    ) {
        let report = ImageProof.ask(3_000, seed: seed, on: .simulated(by: simulator))
        expectNothing(report)
        #expect(report.damaged == 0)
        #expect(report.unanswered == 0)
    }

    /// Checks the arrival times that the board reports for CLOCK, HELLO and START, all with the
    /// same tolerance.
    @Test(arguments: BoardSimulator.here, 0..<4 as Range<UInt64>)
    func timesOfArrivalStayRightAfterMoreThanTheBoardCanTake(
        _ simulator: BoardSimulator, part: UInt64
    ) {
        for seed in Proof.thinned(part * 8..<(part + 1) * 8, every: 2) {
            let report = ImageProof.storm(seed: seed, on: .simulated(by: simulator))
            #expect(
                report.worstStamp <= simulator.stampTolerance,
                "bridge-soak --lock-step --seed \(seed)")
            expectNothing(report)
        }
    }

    @Test(arguments: BoardSimulator.here)
    func allThatAHostMayHaveUnderWayIsTakenWhileFourActuatorsAreBusy(
        _ simulator: BoardSimulator
    ) throws {
        for seed in 0..<6 as Range<UInt64> {
            let board = try LockStepBoard.several(simulator)
            let (report, status) = ImageProof.fill(
                seed: seed, actuators: simulator.severalActuators, on: board)
            expectNothing(report)
            #expect(status?.damagedFrames == 0)
            #expect(board.failure == nil)
        }
    }

    /// Checks that the board receives bytes at the full rate of the line while it frees the bus
    /// with pulses on SCL.
    @Test(.enabled(if: ConformanceBoard.simulated.absence == nil))
    func noByteIsOverrunWhileTheBusIsFreed() throws {
        let rig = try ImageRig(.atmega328p)
        rig.playDensely(every: 200, for: 3_000_000)
        rig.link.run(for: 200_000)
        rig.board.forgetTrace()
        for round in 0..<12 {
            if round % 2 == 0 { rig.board.chipHoldsData(untilClocks: 9) }
            for _ in 0..<16 {
                rig.board.send([UInt8](repeating: 0, count: 12), at: 0)
                rig.link.step()
            }
        }
        let starts = rig.board.transactions.map(\.start)
        let freed = zip(starts, starts.dropFirst()).count { $1 - $0 > 1_500 }
        #expect(freed >= 4, "the bus was held and freed \(freed) times")
        #expect(rig.board.trace.overruns.isEmpty)
        rig.board.chipHoldsData(untilClocks: 1)
    }
}
