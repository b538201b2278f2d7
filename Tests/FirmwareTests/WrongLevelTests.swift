// Tests of chips that store a different level instead of the written level, or no level (SPEC 8,
// 9).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct WrongLevelTests {
    /// Checks levels with one corrupted bit or with all bits corrupted on the bus. The chip
    /// acknowledges these levels.
    @Test(arguments: [0x80, 0x01, 0x5A] as [UInt8], [0, 31, 62, 93])
    func aLevelThatTheChipDidNotTakeIsMendedWithin150Milliseconds(
        bits: UInt8, moment: BoardTime
    ) throws {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 90, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 5_000 + moment * 1_000)
        drv2605_model_inject_damage(bench.chip, bits)
        #expect(bench.command(0x46, [1, 0, 128]) == nil)
        bench.run(for: 1_000)
        #expect(bench.board.driveChanges.contains { $0.drive == Int(45 ^ bits) })
        #expect(bench.run(limit: 149_000) { bench.drive == 45 })
        #expect(bench.status().faults == .bus)
        bench.run(for: 500_000)
        #expect(bench.status().faultTotal == 1)
        #expect(bench.streamStatus().state == .playing)
    }

    @Test func aLevelThatTheChipDidNotTakeCountsAsHeat() {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (128, 100)
        let bench = Bench.connected(configuration)
        let start = bench.play([0xB0, 90, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 10_000)
        drv2605_model_inject_damage(bench.chip, 45 ^ 255)
        #expect(bench.command(0x46, [1, 0, 128]) == nil)
        bench.run(for: 150_000)
        // 150 steps at level 255 exceed the budget of 100 x 256 / 254 steps.
        #expect(bench.status().faults == [.bus, .budget])
    }

    @Test func aChipThatTakesNoLevelIsShutDown() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 90, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 10_000)
        var gain: UInt8 = 255
        for _ in 0..<4_000 where bridge_enabled(bench.board.core) != 0 {
            drv2605_model_inject_damage(bench.chip, 0x80)
            if [90, 45].contains(bench.drive) {
                gain = gain == 255 ? 128 : 255
                #expect(bench.command(0x46, [1, 0, gain]) == nil)
            }
            bench.run(for: 100)
        }
        #expect(bench.actuatorStatus().state == .fault)
        #expect(bench.status().faults == [.bus, .readBack])
    }

    /// Checks a chip that replaces every nonzero level with full level. The board disables the chip
    /// in each session and counts the energy across sessions, so a host cannot drive the actuator
    /// for longer than permitted.
    @Test func aChipThatTakesAnotherLevelIsShutDownInEachSession() {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (64, 100)
        let bench = Bench.connected(configuration)
        let board = bench.board
        bench.provoked = [.staleStart]
        board.onTransfer = { [unowned board] _ in
            let transfer = board.core.pointee.transfer
            if transfer.reg == 0x02, !transfer.is_read, transfer.value != 0 {
                drv2605_model_inject_damage(board.chip, transfer.value ^ 255)
            }
        }
        var driven: BoardTime = 0
        let begin = bench.now
        for session in UInt32(1)...40 {
            bench.connect(session: session)
            bench.run(limit: 60_000_000, until: bench.isAtRest)
            let start = bench.play([0xB0, 90, 0xF1, 0xA0, 0x1F, 0x00])
            bench.run(to: start + 500_000)
            #expect(bench.actuatorStatus().state == .fault)
            let changes = board.driveChanges.filter { $0.time > start - 1_000 }
            #expect(changes.map(\.drive) == [255, 0])
            let time = changes.last!.time - changes.first!.time
            #expect(time < 350_000, "session \(session)")
            driven += time
        }
        let allowed = Double(bench.now - begin) * 64 * 64 / (255 * 255) + 103_000
        #expect(Double(driven) < 1.03 * allowed + 350_000)
    }

    /// Checks a level that a misrouted write for another chip sets during an actuator's brake
    /// window.
    @Test func aLevelThatComesInTheBrakeWindowIsNoticed() {
        let bench = Bench.connected()
        bench.play([0xB0, 200, 0xF1, 20, 0x00])
        let stopping = BRIDGE_ACTUATOR_COMING_TO_REST.rawValue
        #expect(bench.run(limit: 100_000) { UInt32(bench.actuator.state) == stopping })
        bench.run(for: 1_000)
        #expect(bench.drive == 0)
        withUnsafeMutableBytes(of: &bench.chip.pointee.registers) { $0[0x02] = 90 }
        bench.provoked = [.staleStart]
        #expect(bench.runToRest(limit: 100_000))
        #expect(bench.status().faults == .bus)
    }

    /// Corrupts one bit of a byte that is written to the chip, for each byte from a start to the
    /// stop that ends a calibration. The first run corrupts no byte, and counts the bytes.
    @Test(arguments: 0..<8)
    func whateverByteIsDamagedNothingIsDrivenAfterAStop(bit: UInt8) {
        var (transfer, count) = (-1, 0)
        while transfer < count {
            let bench = Bench.connected()
            let board = bench.board
            bench.provoked = [.undefinedAccess, .staleStart, .damagedBytes]
            var left = transfer
            board.onTransfer = { [unowned board] _ in
                guard !board.core.pointee.transfer.is_read else { return }
                if left == 0 { drv2605_model_inject_damage(board.chip, 1 << bit) }
                left -= 1
            }
            bench.send(bench.nextCommand(0x40, [0, 1, 0, 0, 0]))
            bench.send(bench.nextCommand(0x44, [0, 0, 0xB0, 200, 0xF1, 20, 0x00]))
            bench.send(
                bench.nextCommand(0x42, [0, 0, 1] + UInt32(20_000).bytes + UInt32(250 << 24).bytes))
            bench.run(for: 100_000)
            bench.send(bench.nextCommand(0x49, [0]))
            bench.run(for: 100_000)
            bench.stop(id: 1)
            count = max(count, transfer - left)
            for time in [20_000, 80_000] as [BoardTime] {
                bench.run(for: time)
                #expect(board.driveChanges.last?.drive ?? 0 == 0, "write \(transfer)")
            }
            transfer += 1
        }
        #expect(count >= 10)
    }
}
