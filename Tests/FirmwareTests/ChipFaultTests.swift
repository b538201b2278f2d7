// Tests of chips that are of the wrong type, absent, reset, overheated or short-circuited (SPEC 8,
// 9).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct ChipFaultTests {
    @Test(arguments: [4, 6] as [UInt8])
    func chipsOfTheRAMKindAreRefusedByName(id: UInt8) {
        let bench = Bench(.tested { $0.chipID = id })
        bench.connect()
        bench.run(for: 50_000)
        let actuator = bench.actuatorStatus()
        #expect(actuator.state == .fault)
        #expect(actuator.chipID == id)
        #expect(bench.status().faults == .wrongChip)
        #expect(bridge_enabled(bench.board.core) == 0)
        let open = bench.command(0x40, [0, 1, 0, 0, 0])
        #expect(open == Reject(type: .open, code: .fault, offset: 1, limit: 0))
        #expect(bench.command(0x49, [0])?.code == .fault)
        #expect(!bench.writes.contains { $0[0] == 0x16 })
    }

    @Test(arguments: [0, 1, 2, 5] as [UInt8])
    func anUnknownIdIsNoChip(id: UInt8) {
        let bench = Bench(.tested { $0.chipID = id })
        bench.connect()
        bench.run(for: 50_000)
        #expect(bench.actuatorStatus().state == .fault)
        #expect(bench.status().faults == .noChip)
    }

    @Test func withoutAChipItIsGivenUpWithinFiftyMilliseconds() {
        let bench = Bench()
        drv2605_model_power(bench.chip, 0, false)
        bench.connect()
        #expect(bench.actuatorStatus().state == .starting)
        bench.run(to: 50_000)
        #expect(bench.actuatorStatus().state == .fault)
        #expect(bench.status().faults == .noChip)
        #expect(bench.status().busErrors == 0)  // the host may be silent
        // Both a new session and CONFIGURE cause another attempt to set up the chip.
        drv2605_model_power(bench.chip, UInt64(bench.now), true)
        bench.connect(session: 77)
        bench.run(for: 50_000)
        #expect(bench.isAtRest())
    }

    @Test func configureTriesAFaultyChipAgain() {
        let bench = Bench()
        drv2605_model_power(bench.chip, 0, false)
        bench.connect()
        bench.run(for: 60_000)
        drv2605_model_power(bench.chip, UInt64(bench.now), true)
        #expect(bench.command(0x48, [0] + ActuatorConfiguration.testLRA.bytes) == nil)
        bench.run(for: 50_000)
        #expect(bench.isAtRest())
    }

    @Test(arguments: [3, 7] as [UInt8]) func reservedBitsMayReadAsTheyLike(id: UInt8) {
        let bench = Bench(.tested { $0.chipID = id })
        bench.chip.pointee.reserved_bits_read_one = true
        bench.connect()
        #expect(bench.command(0x48, [0] + ActuatorConfiguration.testLRA.bytes) == nil)
        bench.run(for: 50_000)
        #expect(bench.isAtRest())
        #expect(bench.status().faults.isEmpty)
    }

    @Test func theOlderChipIsSpokenToOnlyInRegistersThatItHas() {
        var configuration = ActuatorConfiguration.testLRA
        configuration.image[0x1F] = 0x80
        configuration.image[0x20] = 0x3C
        let bench = Bench(
            .tested {
                $0.chipID = 3
                $0.configuration = configuration.bytes
            })
        bench.connect()
        bench.run(for: 50_000)
        #expect(bench.actuatorStatus().chipID == 3)
        let start = bench.play([0xB0, 90, 0xF1, 40, 0x00])
        bench.run(to: start + 5_000)
        #expect(bench.drive == 90)
        #expect(bench.runToRest())
    }

    @Test(arguments: [0, 13, 20, 50, 77, 99] as [BoardTime])
    func aChipThatIsResetWhilePlayingIsDetectedAndSetUpAgain(moment: BoardTime) {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000 + moment * 1_000)
        drv2605_model_inject_brown_out(bench.chip, UInt64(bench.now), UInt64(bench.now))
        bench.run(for: 102_000)
        #expect(bench.status().chipResets == 1)
        #expect(bench.status().faults.contains(.chipReset))
        #expect(bench.streamStatus().state == .closed)
        #expect(bench.runToRest(limit: 30_000))
        let image = ActuatorConfiguration.testLRA.image
        for register in UInt8(0x16)...0x20 {
            #expect(bench.chip.pointee.registers(register) == image[register])
        }
        let again = bench.play([0xB0, 90, 0xF1, 40, 0x00])
        bench.run(to: again + 5_000)
        #expect(bench.drive == 90)
        #expect(bench.runToRest())
    }

    @Test func aChipThatIsResetAtRestIsNoticedBeforeItDrives() {
        // Without this check, the chip would drive an LRA as an ERM.
        let bench = Bench.connected()
        drv2605_model_inject_brown_out(bench.chip, UInt64(bench.now), UInt64(bench.now))
        bench.run(for: 50_000)
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start - 25_000)
        #expect(bench.status().faults == .chipReset)
        bench.run(to: start + 50_000)
        #expect(bench.playedLevels(from: start) == [LevelWrite(time: 0, value: 255)])
        let image = ActuatorConfiguration.testLRA.image
        for register in UInt8(0x16)...0x20 {
            #expect(bench.chip.pointee.registers(register) == image[register])
        }
        #expect(bench.status().chipResets == 1)
        #expect(bench.status().latest == 0)
    }

    /// Requests a level on a sleeping chip, which must first be woken. Returns the bench and the
    /// time of the level.
    private func waking() -> (Bench, start: BoardTime) {
        let bench = Bench.connected()
        bench.load([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.board.forgetTrace()
        let start = bench.now + 30_000
        let scale = (250 << 24 as UInt32).bytes
        bench.send(
            bench.nextCommand(0x42, [0, 0, 0] + bench.board.deviceClock(at: start).bytes + scale))
        return (bench, start)
    }

    /// Checks a reset of the chip after each transfer that precedes the level, because a chip that
    /// has lost its registers would drive the LRA as an ERM.
    @Test func aChipThatIsResetWhileItWakesIsNotDrivenWithoutItsRegisters() {
        let (woken, level) = waking()
        woken.run(to: level - 1_000)
        let ends = woken.board.transactions.map(\.end)
        #expect(ends.count >= 6)
        for end in ends {
            let (bench, start) = waking()
            bench.run(to: end + 1)
            drv2605_model_inject_brown_out(bench.chip, UInt64(bench.now), UInt64(bench.now))
            bench.run(to: start + 20_000)
            let isKept = bench.chip.pointee.registers(0x1A) == 0xA6
            #expect(isKept || bench.drive == 0, "\(end) us")
            bench.provoked = [.undefinedAccess, .staleStart]
        }
    }

    /// Checks a chip that acknowledges its reset before it is awake and drives its retained level.
    @Test(arguments: [100, 250, 600] as [UInt32])
    func aResetThatTheChipIgnoresIsRepeated(wakeTime: UInt32) {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 90, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 10_000)
        bench.chip.pointee.wake_time_us = wakeTime
        withUnsafeMutableBytes(of: &bench.chip.pointee.registers) { $0[0x0D] = 7 }  // ODT
        bench.provoked = [.staleStart]
        bench.board.forgetTrace()
        bench.board.reset(cause: BRIDGE_RESET_WATCHDOG)
        bench.run(for: 50_000)
        #expect(bench.isAtRest())
        let changes = bench.board.driveChanges.map { ($0.time, $0.drive) }
        let spans = zip(changes, changes.dropFirst()).filter { $0.0.1 != 0 }.map { $1.0 - $0.0 }
        #expect(!spans.isEmpty && spans.allSatisfy { $0 <= 5_000 }, "\(changes)")
        #expect(bench.chip.pointee.registers(0x16) == ActuatorConfiguration.testLRA.image[0x16])
        #expect(bench.chip.pointee.registers(0x0D) == 0, "a register that no image sets")
    }

    @Test func overTemperatureBringsItToRest() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000)
        drv2605_model_inject_over_temperature(bench.chip, UInt64(bench.now), true)
        bench.run(for: 102_000)
        #expect(bench.status().faults == .overTemperature)
        #expect(bench.streamStatus().state == .closed)
        #expect(bench.runToRest(limit: 40_000))
        // Once the chip has cooled, it plays again. When the chip wakes, it reports the conditions
        // that it has latched at rest.
        drv2605_model_inject_over_temperature(bench.chip, UInt64(bench.now), false)
        bench.run(for: 10_000)
        #expect(bench.drive == 0)
        let total = bench.status().faultTotal
        let again = bench.play([0xB0, 90, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: again + 300_000)
        #expect(bench.drive == 90)
        #expect(bench.status().faultTotal == total + 1)
    }

    /// Checks protection events that the chip reports in STATUS. A read of this register clears it.
    @Test(arguments: [true, false])
    func aChipThatProtectsItselfIsNotDrivenByShortTaps(isHot: Bool) {
        let bench = Bench.connected()
        if isHot {
            drv2605_model_inject_over_temperature(bench.chip, UInt64(bench.now), true)
        } else {
            drv2605_model_inject_short(bench.chip, UInt64(bench.now), true)
        }
        for tap in 0..<30 {
            let start = bench.play([0xA0, 0xAA, 0xF3, 40])
            bench.run(to: start + 40_000)
            // A short circuit is detected only while the output is driven.
            if tap == 0, !isHot { continue }
            #expect(bench.playedLevels(from: start).allSatisfy { $0.value == 0 })
            #expect(bench.streamStatus().state == .closed)
        }
        #expect(bench.status().faults == (isHot ? .overTemperature : .overCurrent))
        #expect(
            bench.status().faultTotal == (isHot ? 60 : 58), "each wake-up checks the chip twice")
    }

    @Test func aLookAtTheChipThatWasOvertakenIsMadeAgain() {
        // No tap keeps the chip awake long enough for all three checks, so the checks in each
        // wake-up continue where the previous wake-up ended them.
        let bench = Bench.connected()
        for _ in 0..<12 {
            let start = bench.play([0xB0, 200, 0xF3, 0xA0, 0x01])  // 40 ms
            bench.run(to: start + 100_000)
        }
        let reads = bench.board.transactions.filter { $0.bytes.count == 4 }.map { $0.bytes[1] }
        #expect(reads.contains(0x00) && reads.contains(0x01))
    }

    @Test func overCurrentBringsItToRest() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000)
        drv2605_model_inject_short(bench.chip, UInt64(bench.now), true)
        bench.run(for: 102_000)
        #expect(bench.status().faults == .overCurrent)
        #expect(bench.streamStatus().state == .closed)
        #expect(bench.runToRest(limit: 40_000))
    }

    @Test func anImageThatReadsBackWrongIsNeverDriven() {
        let bench = Bench(.tested { $0.configuration = ActuatorConfiguration.testLRA.bytes })
        bench.connect()
        let board = bench.board
        board.onTransfer = { [unowned board] _ in
            let transfer = board.core.pointee.transfer
            if transfer.reg == 0x17, !transfer.is_read {
                drv2605_model_inject_damage(board.chip, 0x01)
            }
        }
        #expect(bench.command(0x48, [0] + ActuatorConfiguration.testLRA.bytes) == nil)
        bench.run(for: 50_000)
        #expect(bench.actuatorStatus().state == .fault)
        #expect(bench.status().faults == .readBack)
        #expect(bridge_enabled(bench.board.core) == 0)
    }

    @Test func faultsAreLatchedUntilTheyAreClearedWithTheirTotal() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 40, 0x03])
        bench.run(to: start + 50_000)
        let total = bench.status().faultTotal
        #expect(bench.status().faults == .underrun)
        #expect(bench.command(0x47, [1, 0, total &- 1]) == nil)
        #expect(bench.status().faults == .underrun)  // a fault has occurred in the meantime
        #expect(bench.command(0x47, [2, 0, total]) == nil)
        #expect(bench.status().faults == .underrun)  // another bit
        #expect(bench.command(0x47, [1, 0, total]) == nil)
        #expect(bench.status().faults.isEmpty)
        #expect(bench.status().underruns == 1)
        #expect(bench.status().faultTotal == total)
    }

    @Test func theChipIsLookedAtThoughWritesAreAsDenseAsTheyCanBe() {
        // The board writes a level every 250 us for several seconds, and must still read the mode
        // and the status.
        let bench = Bench.connected()
        let copies = [[UInt8]](repeating: [0xFF, 0xE1], count: 60).joined()
        let start = bench.play([0xB1, 1, 10, 0xB4, 20] + copies + [0xF3, 1])
        bench.run(to: start + 1_000_000)
        let reads = bench.board.transactions.filter { $0.bytes.count == 4 && $0.start >= start }
        #expect(reads.filter { $0.bytes[1] == 0x01 }.count >= 4)
        #expect(reads.filter { $0.bytes[1] == 0x00 }.count >= 4)
        #expect(bench.status().latest < 1_000)
        drv2605_model_inject_over_temperature(bench.chip, UInt64(bench.now), true)
        bench.run(for: 300_000)
        #expect(bench.status().faults == .overTemperature)
    }

    /// Checks that a DRV2605 rejects open-loop operation of an LRA: the chip has no clock for this
    /// mode (SLOS825E), which requires a PWM signal on the pin IN.
    @Test func anOpenLoopForAnLRAIsRefusedOnADRV2605() {
        for (chipID, faults) in [(3, Faults.wrongChip), (7, [])] as [(UInt8, Faults)] {
            var configuration = ActuatorConfiguration.signedLRA
            configuration.image[0x1D] |= 0x01
            configuration.image[0x17] = 100
            let bench = Bench(
                .tested {
                    $0.chipID = chipID
                    $0.configuration = configuration.bytes
                })
            bench.connect()
            bench.run(for: 50_000)
            #expect(bench.status().faults == faults)
            #expect(bench.isAtRest() == faults.isEmpty)
        }
    }
}
