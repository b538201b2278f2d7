// Tests that the bus runs at 100 kHz if its pull-up resistors are too weak for 400 kHz (SPEC 9).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct SlowBusTests {
    /// Returns a bench with a board that has weak pull-ups, 130 ms after its start.
    private func weak(actuators: Int = 1) -> Bench {
        let board = InProcessBoard.tested { $0.actuators = actuators }
        board.hasWeakPullUps = true
        let bench = Bench(board)
        bench.connect()
        bench.run(for: 120_000)
        return bench
    }

    private func isFast(_ transaction: BusTransaction) -> Bool {
        transaction.end - transaction.start < 100
    }

    private func isSlow(_ bench: Bench) -> Bool {
        _ = bench.status()
        // The state is the first byte of STATUS, and bit 3 of the state indicates the slow bus
        // (SPEC 4.5).
        return bench.frames(0xA1).last!.payload[0] & 0x08 != 0
    }

    @Test func aBoardWhoseChipAnswersAt400KilohertzStaysThere() {
        let bench = Bench.connected()
        #expect(!isSlow(bench))
        let reset = bench.board.transactions[0]
        #expect(reset.bytes == [0xB4, 0x01, 0x80])
        #expect(reset.end - reset.start == 73)
    }

    /// Checks that the board tries 400 kHz again after a chip has answered at 100 kHz, before it
    /// stays at 100 kHz.
    @Test func aBoardWhoseChipAnswersOnlyAt100KilohertzIsReadyWithin100Milliseconds() {
        let bench = weak()
        #expect(bench.actuatorStatus().state == .atRest)
        #expect(isSlow(bench))
        #expect(bench.status().faults.isEmpty)
        #expect(bench.status().faultTotal == 0)
        let transactions = bench.board.transactions
        #expect(transactions.allSatisfy { $0.start < 100_000 })
        #expect(transactions.filter(isFast).count == 14)
        #expect(!transactions.contains { isFast($0) && $0.isAcknowledged })
        let resets = transactions.filter { $0.isAcknowledged && $0.bytes == [0xB4, 0x01, 0x80] }
        #expect(resets.map { $0.end - $0.start } == [292, 292])
    }

    /// Checks that a board whose chip is powered late does not use the slow bus.
    @Test(arguments: [5_000, 25_000, 30_000] as [BoardTime])
    func aChipThatGetsItsPowerLateIsSetUpAt400Kilohertz(delay: BoardTime) {
        let board = InProcessBoard.tested()
        board.cutSupply(ofActuator: 0)
        let bench = Bench(board)
        bench.run(to: delay)
        drv2605_model_power(board.chip, UInt64(board.now), true)
        bench.connect()
        bench.run(for: 100_000)
        #expect(bench.actuatorStatus().state == .atRest)
        #expect(!isSlow(bench))
        #expect(bench.status().faultTotal == 0)
    }

    @Test func onASlowBusLevelsStartAtTheirTimes() {
        let bench = weak()
        bench.forget()
        // The stream contains level 120, taps 20 and 40 ms later, and END.
        let start = bench.play([0xB0, 120, 0x91, 80, 250, 255, 0x91, 80, 250, 255, 0xF1, 80, 0x00])
        bench.run(to: start + 200_000)
        let levels = bench.board.transactions.filter {
            $0.start >= start && $0.bytes.count == 3 && $0.bytes[1] == 0x02
        }
        #expect(
            levels.prefix(3).map(\.bytes) == [[0xB4, 2, 120], [0xB4, 2, 250], [0xB4, 2, 120]])
        #expect(levels.prefix(2).map { $0.start - start } == [0, 20_000])
        #expect(bench.status().latest == 0)
        #expect(bench.actuatorStatus().state == .atRest)
    }

    /// Checks that the periodic checks of the chips take place, and that no write is later than the
    /// host expects.
    @Test(arguments: [(1, 3), (1, 4), (1, 5), (2, 8), (4, 16)])
    func onASlowBusDenseLevelsAreLateByNoMoreThanStated(actuators: Int, every: Int) throws {
        var options = InProcessBoard.Options()
        options.actuators = actuators
        let board = InProcessBoard(options: options)
        board.hasWeakPullUps = true
        let rig = try SeveralActuatorsRig(board)
        for actuator in rig.mask.indices {
            let mask = ActuatorMask(index: Int(actuator))
            try rig.link.carryOut(.gain(Gain(actuators: mask, gain: 255 - actuator * 4)))
        }
        #expect(try rig.link.status().state.contains(.slowBus))
        let levels = (0..<4_000 / every).map {
            StreamEvent(.level(UInt8(100 + $0 * 7 % 150)), at: Ticks($0 * every))
        }
        try rig.play(levels)
        // Only a board with several actuators alternates between levels and the checks of the
        // chips.
        let additional = actuators > 1 ? BoardKind.slowBusLateness : 0
        let bound = BoardKind.virtual.writeLateness(actuators: 1) + additional
        #expect(try rig.link.status().latest <= UInt32(bound))
        for actuator in 0..<actuators {
            for register in [UInt8(0x00), 0x01, 0x02] {
                let looks = rig.board.transactions.filter {
                    $0.actuator == actuator && $0.write == nil && $0.bytes[1] == register
                }
                #expect(looks.count >= 8)
            }
        }
    }

    @Test func aBoardWithoutAChipTriesBothClocksAndStaysAt400Kilohertz() {
        let board = InProcessBoard.tested()
        board.cutSupply(ofActuator: 0)
        let bench = Bench(board)
        bench.connect()
        bench.run(for: 100_000)
        #expect(bench.actuatorStatus().state == .fault)
        #expect(bridge_enabled(board.core) == 0)
        #expect(!isSlow(bench))
        #expect(bench.status().faults == .noChip)
        #expect(bench.status().faultTotal == 1)
        let times = Set(board.transactions.map { $0.end - $0.start })
        #expect(times == [73, 292])
        // The board detects a chip that is connected later at 400 kHz.
        drv2605_model_power(board.chip, UInt64(board.now), true)
        board.forgetTrace()
        bench.connect(session: 0x2345_6789)
        bench.run(for: 60_000)
        #expect(bench.actuatorStatus().state == .atRest)
        #expect(board.transactions[0].end - board.transactions[0].start == 73)
    }

    @Test func aChipThatFailsWhileItPlaysDoesNotMakeTheBusSlow() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 120, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000)
        drv2605_model_inject_nack(bench.chip, .max)
        bench.run(for: 60_000)
        #expect(bench.actuatorStatus().state == .fault)
        #expect(!isSlow(bench))
    }

    @Test(arguments: [2, 4, 8])
    func ofSeveralActuatorsOneThatAnswersKeepsTheBusAt400Kilohertz(actuators: Int) {
        let board = InProcessBoard.tested { $0.actuators = actuators }
        for actuator in 0..<actuators - 1 { board.cutSupply(ofActuator: actuator) }
        let bench = Bench(board)
        bench.connect()
        bench.run(for: 300_000)
        #expect(!isSlow(bench))
        #expect(bench.status().faultTotal == UInt8(actuators - 1))
    }

    /// Checks that the EN pin of a chip in fault stays low, regardless of events on the other
    /// chips.
    @Test func anActuatorInFaultIsNotSetUpAgainBecauseAnotherFailsToStart() {
        let board = InProcessBoard.tested { $0.actuators = 2 }
        let bench = Bench(board)
        bench.connect()
        bench.run(for: 60_000)
        bench.play([0xB0, 120, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(for: 60_000)
        drv2605_model_inject_nack(board.chip(of: 0), .max)
        bench.run(for: 200_000)
        #expect(bench.actuatorStatus().state == .fault)
        drv2605_model_inject_nack(board.chip(of: 0), 0)
        board.cutSupply(ofActuator: 1)
        board.forgetTrace()
        bench.command(0x48, [1] + ActuatorConfiguration.testLRA.bytes)
        bench.run(for: 200_000)
        #expect(bench.actuatorStatus().state == .fault)
        #expect(bridge_enabled(board.core) == 0)
        #expect(!board.transactions.contains { $0.actuator == 0 })
        #expect(board.driveChanges.isEmpty)
    }

    @Test(arguments: [2, 4, 8])
    func ofSeveralActuatorsNoneOfWhichAnswersAllAreSetUpSlowly(actuators: Int) {
        let bench = weak(actuators: actuators)
        bench.run(for: 400_000)
        #expect(isSlow(bench))
        for actuator in 0..<UInt8(actuators) {
            let state = bridge_actuator(bench.board.core, actuator).pointee.state
            #expect(UInt32(state) == BRIDGE_ACTUATOR_AT_REST.rawValue)
        }
    }
}
