// Tests of the energy budget (SPEC 8) during failures of a chip or the bus: wrong and unknown
// levels also use up the budget.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct BudgetFaultTests {
    private static let small: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (64, 100)
        return configuration
    }()

    /// Returns the maximum heat of the actuator of ``small`` since `start`, as a fraction of its budget.
    private func greatestHeat(_ bench: Bench, since start: BoardTime) -> Double {
        var (heat, greatest, time, drive) = (0.0, 0.0, start, 0.0)
        for change in bench.board.driveChanges {
            heat += (drive * drive - 64 * 64) * Double(change.time - time) / 1_024
            heat = max(0, heat)
            greatest = max(greatest, heat)
            (time, drive) = (change.time, Double(change.drive))
        }
        return greatest / (100 * 65_536)
    }

    /// Checks a chip that retains full level and cannot be reset, because it acknowledges no byte
    /// or because it is not yet awake when it acknowledges. A host repeatedly sends HELLO or
    /// CONFIGURE, and the board sets up the chip each time. The chip drives the retained level
    /// whenever EN is high.
    @Test(arguments: [false, true], [(UInt32.max, 0), (12, 300)] as [(UInt32, UInt32)])
    func aChipThatCannotBeResetIsSetUpWithinTheBudget(
        configures: Bool, fault: (nacks: UInt32, wakeTime: UInt32)
    ) {
        let bench = Bench.connected(Self.small)
        let start = bench.play([0xB0, 255, 0xF1, 0xB0, 0x09, 0x00])
        bench.run(to: start + 20_000)
        drv2605_model_inject_nack(bench.chip, fault.nacks)
        bench.chip.pointee.wake_time_us = fault.wakeTime
        bench.provoked = [.staleStart]
        for session in UInt32(1)...2_000 {
            if configures {
                bench.command(0x48, [0] + Self.small.bytes)
            } else {
                bench.connect(session: session)
            }
            bench.run(for: configures ? 1_500 : 10_000)
        }
        let heat = greatestHeat(bench, since: start)
        #expect(heat > 0.1, "the chip has retained its level")
        #expect(heat < 1.03 + 0.06)
        #expect(!bench.status().faults.contains(.budget))
    }

    /// Checks a level that the board rendered ahead. The chip is then reset during its wake-up and
    /// set up again, and the actuator's budget is exhausted in the meantime.
    @Test func aLevelThatWaitsForASetUpKeepsToTheBudget() {
        var configuration = Self.small
        configuration.sustained = 16
        let bench = Bench.connected(configuration)
        bench.load([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.forget()
        // The failing transfer uses up 3 << 16 of the budget, and the setup uses up the remainder.
        bench.board.core.pointee.actuators.0.heat = (100 << 16) - (3 << 16) - 14_000
        let scale = (250 << 24 as UInt32).bytes
        let start = bench.board.deviceClock(at: bench.now + 1_000).bytes
        bench.send(bench.nextCommand(0x42, [0, 0, 0] + start + scale))
        bench.run(toTransaction: 3)
        drv2605_model_inject_brown_out(bench.chip, UInt64(bench.now), UInt64(bench.now))
        bench.run(limit: 50_000) { bench.drive != 0 }
        #expect(bench.drive == 16)
        #expect(!bench.status().faults.contains(.budget))
    }

    /// Checks pulses in which the first write of each falling edge is not acknowledged. The chip
    /// stays at full level until the board repeats the write several rounds of the port later. In
    /// one case, a round lasts 10 ms.
    @Test(
        arguments: [
            (.attentive, on: 3, off: 1),
            (.init(interval: 10_000, isAttentive: false, pollsMost: 1), 20, 380),
        ] as [(InProcessBoard.Port, on: Int, off: Int)])
    func aFallThatIsNotAcknowledgedCounts(port: InProcessBoard.Port, on: Int, off: Int) {
        let bench = Bench.connected(Self.small, port)
        let board = bench.board
        var isRepeated = false
        board.onTransfer = { [unowned board] _ in
            let transfer = board.core.pointee.transfer
            guard transfer.reg == 0x02, !transfer.is_read, transfer.value == 0 else { return }
            if !isRepeated { drv2605_model_inject_nack(board.chip, 1) }
            isRepeated.toggle()
        }
        let pulses = (0..<30).flatMap { pulse in
            [
                StreamEvent(.level(255), at: pulse * (on + off)),
                StreamEvent(.level(0), at: pulse * (on + off) + on),
            ]
        }
        let start = bench.play(EventStreamEncoder.encode(pulses))
        bench.run(to: start + 3_200_000)
        #expect(greatestHeat(bench, since: start) < 1.03 + 0.06)
    }

    /// Checks wake-ups that are too short for the periodic check of the chip. Each wake-up plays a
    /// level that is corrupted but acknowledged. The board must read the level back before the
    /// level is overwritten.
    @Test func aDamagedLevelIsNoticedHoweverShortTheWakingIs() {
        let bench = Bench.connected(Self.small)
        bench.provoked = [.damagedBytes]
        bench.board.onTransfer = { [unowned board = bench.board] _ in
            let transfer = board.core.pointee.transfer
            guard transfer.reg == 0x02, !transfer.is_read, transfer.value == 120 else { return }
            drv2605_model_inject_damage(board.chip, 0x80)
        }
        let begun = bench.now
        for _ in 0..<120 {
            bench.command(0x40, [0, 1, 0, 0, 0])
            bench.command(0x44, [0, 0, 0xB0, 120, 0xF1, 0xFF, 0x7F, 0x00])
            bench.start(at: bench.now + 2_000)
            bench.command(0x41, [0])
        }
        #expect(greatestHeat(bench, since: begun) < 1.03 + 0.06)
        #expect(bench.status().faults.contains(.bus))
    }

    /// Checks wake-ups in which the first byte that is written is corrupted and no level is played.
    /// A corrupted byte in a wake-up must not set a level, because the first level of a stream
    /// would hide the error.
    @Test func noDamagedByteOfAWakingDrives() {
        let bench = Bench.connected(Self.small)
        bench.provoked = [.damagedBytes, .undefinedAccess]
        for bit in 0..<8 {
            bench.command(0x40, [0, 1, 0, 0, 0])
            bench.command(0x44, [0, 0, 0xB0, 0, 0xF1, 0xFF, 0x7F, 0x00])
            drv2605_model_inject_damage(bench.chip, 1 << bit)
            bench.start(at: bench.now + 20_000)
            bench.run(for: 40_000)
            bench.command(0x41, [0])
        }
        #expect(bench.board.driveChanges.allSatisfy { $0.drive == 0 })
    }

    /// Checks a stream that waits for an actuator that must cool before its chip is set up.
    @Test func silenceEndsAStreamThatWaitsForASetUp() {
        let bench = Bench.connected(Self.small)
        bench.board.core.pointee.actuators.0.heat = 200 << 16
        bench.run(for: 5_000)
        #expect(bench.command(0x48, [0] + Self.small.bytes) == nil)
        bench.load([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        #expect(bench.start(at: bench.now + 5_000) == nil)
        bench.keepsAlive = false
        bench.run(for: 300_000)
        #expect(UInt32(bench.actuator.state) == BRIDGE_ACTUATOR_STARTING.rawValue)
        #expect(bench.status().deadManTrips == 1)
        #expect(bench.streamStatus().state == .closed)
    }

    /// Checks that the board disables the chip if the chip has stored a corrupted level after the
    /// budget was exhausted, because the drive would otherwise exceed the budget.
    @Test func aDamagedLevelOverTheBudgetShutsTheChipDown() {
        let bench = Bench.connected(Self.small)
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 200_000)
        #expect(bench.drive == 64)
        drv2605_model_inject_damage(bench.chip, 50 ^ 255)
        #expect(bench.command(0x46, [1, 0, 50]) == nil)
        bench.run(for: 110_000)
        #expect(bench.board.driveChanges.suffix(2).map(\.drive) == [255, 0])
        #expect(bench.status().faults == [.budget, .readBack])
    }

    /// A bit of a small level flips in transit, so the chip drives the negative full level.
    @Test func aLevelThatWasDamagedCountsByItsMagnitude() {
        var configuration = ActuatorConfiguration(
            kind: .erm, resonance: 0, rated: 2_000, overdrive: 2_500, chip: .drv2605L, loop: .open)
        (configuration.sustained, configuration.budget) = (32, 2_000)
        let bench = Bench.connected(configuration)
        bench.play([0xB0, 4, 0xF1, 0xFF, 0x7F, 0x00])
        bench.run(for: 100_000)
        #expect(bridge_heat(bench.board.core, 0) == 0)
        drv2605_model_inject_damage(bench.board.chip, 0x80)
        bench.command(0x46, [1, 0, 128])
        bench.run(for: 300_000)
        #expect(bench.status().faults == .bus)
        // The heat of 150 steps at level -127 of 127, minus the cooling in the meantime.
        #expect((220...260).contains(bridge_heat(bench.board.core, 0)))
    }
}
