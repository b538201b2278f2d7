// Tests of CALIBRATE and DIAGNOSE (SPEC 8): the results that the board accepts, and the ends of the
// procedures.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct CalibrationTests {
    private func calibrated(
        _ type: UInt8 = 0x49, for time: BoardTime = 2_500_000, _ meddle: (Bench) -> Void = { _ in }
    ) -> Bench {
        let bench = Bench.connected()
        meddle(bench)
        bench.forget()
        #expect(bench.command(type, [0]) == nil)
        bench.run(for: time)
        return bench
    }

    @Test func aCalibrationThatPassesEntersTheImage() {
        let bench = calibrated()
        #expect(bench.actuatorStatus().calibration == .passed)
        #expect(bench.isAtRest())
        // The model's results are 0x09, 0x79 and gain 1; the other bits of 0x1A are unchanged.
        let before = ActuatorConfiguration.testLRA.image
        let image = bench.image
        #expect(image[3...5] == [0x09, 0x79, before[0x1A] & ~3 | 1])
        #expect(bench.chip.pointee.registers(0x18) == 0x09)
        #expect(bench.chip.pointee.registers(0x1A) == before[0x1A] & ~3 | 1)
        #expect(bench.status().faults.isEmpty)
        // The board saves the calibration with the other settings, and loads it again.
        #expect(bench.command(0x4B, [0]) == nil)
        bench.board.reset(cause: BRIDGE_RESET_POWER)
        bench.connect()
        bench.run(for: 50_000)
        #expect(bench.actuatorStatus().calibration == .passed)
    }

    @Test func aCalibrationThatFailsChangesNothing() {
        let bench = calibrated { $0.chip.pointee.calibration = MODEL_CALIBRATION_FAILS }
        expectUnchanged(bench, .failed)
    }

    @Test func aCalibrationIsGivenUpAfterTwoSeconds() throws {
        let bench = calibrated { $0.chip.pointee.calibration = MODEL_CALIBRATION_NEVER_FINISHES }
        expectUnchanged(bench, .timedOut)
        let drives = bench.board.driveChanges
        #expect(drives.count == 2)
        #expect((1_900_000...2_000_000).contains(drives[1].time - drives[0].time))
    }

    private func expectUnchanged(
        _ bench: Bench, _ result: CalibrationResult, _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(bench.actuatorStatus().calibration == result, sourceLocation: place)
        #expect(bench.isAtRest(), sourceLocation: place)
        let image = ActuatorConfiguration.testLRA.image
        #expect(bench.image == image.bytes, sourceLocation: place)
        #expect(bench.chip.pointee.registers(0x1A) == image[0x1A], sourceLocation: place)
        #expect(bench.drive == 0, sourceLocation: place)
    }

    @Test func theDiagnosisIsReportedInItsOwnNibble() {
        let passed = calibrated(0x4A)
        #expect(passed.actuatorStatus().diagnosis == .passed)
        for finding in [MODEL_DIAGNOSTICS_OPEN, MODEL_DIAGNOSTICS_SHORTED] {
            let bench = calibrated(0x4A) { $0.chip.pointee.diagnostics = finding }
            #expect(bench.actuatorStatus().diagnosis == .failed)
            #expect(bench.isAtRest())
            #expect(
                bench.image == ActuatorConfiguration.testLRA.image.bytes)
        }
    }

    @Test(arguments: 0..<60)
    func aBusThatBreaksInTheMiddleIsNeverSuccess(index: Int) {
        // Checks a chip that acknowledges no transfer from one of the calibration's transfers on.
        let bench = Bench.connected()
        bench.forget()
        bench.send(bench.nextCommand(0x49, [0]))
        bench.run(limit: 2_000_000) { bench.board.transactions.count >= index || bench.isAtRest() }
        let isOver = bench.isAtRest() && bench.board.transactions.count > 20
        if !isOver { drv2605_model_inject_nack(bench.chip, .max) }
        bench.run(for: 2_500_000)
        if !isOver {
            #expect(UInt32(bench.actuator.state) == BRIDGE_ACTUATOR_FAULT.rawValue)
            #expect(bridge_enabled(bench.board.core) == 0)
            #expect(bench.drive == 0)
        }
    }

    @Test(arguments: 1...8)
    func threeLostTransfersInTheMiddleEndItAsABusError(bytes: UInt32) {
        let bench = Bench.connected()
        bench.command(0x49, [0])
        bench.run(for: 300_000)
        drv2605_model_inject_nack(bench.chip, bytes)
        bench.run(for: 2_000_000)
        let result = bench.actuatorStatus().calibration
        #expect(result == (bytes < 3 ? .passed : .busError))
        #expect(bench.core.counters.bus_errors == min(UInt16(bytes), 6))
        // After three more errors, the attempt to bring the actuator to rest fails as well.
        #expect((bridge_enabled(bench.board.core) == 0) == (bytes >= 6))
        #expect(bench.drive == 0)
    }

    @Test func aChipThatIsResetMeanwhileIsNoSuccess() {
        for (type, offset) in [(0x49, 10_000), (0x49, 300_000), (0x4A, 5_000)] as [(UInt8, Int)] {
            let bench = Bench.connected()
            bench.command(type, [0])
            bench.run(for: BoardTime(offset))
            drv2605_model_inject_brown_out(bench.chip, UInt64(bench.now), UInt64(bench.now))
            bench.run(for: 1_500_000)
            let actuator = bench.actuatorStatus()
            #expect(actuator.calibration == (type == 0x49 ? .failed : .none))
            #expect(actuator.diagnosis == (type == 0x49 ? .none : .failed))
            #expect(
                bench.status().faults == [.chipReset, .bus] || bench.status().faults == .chipReset)
            #expect(bench.isAtRest())
            #expect(
                bench.image == ActuatorConfiguration.testLRA.image.bytes)
        }
    }

    @Test func stopEndsItAtOnceAndLeavesTheImage() {
        for moment in [0, 500, 5_000, 400_000, 900_000] as [BoardTime] {
            let bench = Bench.connected()
            bench.command(0x49, [0])
            bench.run(for: moment)
            let sent = bench.now
            bench.send(bench.wire(0x10, [1, bench.sequence] + bench.linkTotal.bytes))
            bench.run(to: sent + 480 + 400)
            #expect(bench.drive == 0, "STOP after \(moment)")
            bench.run(for: 60_000)
            #expect(bench.isAtRest())
            #expect(
                bench.image == ActuatorConfiguration.testLRA.image.bytes)
        }
    }

    @Test func itIsRefusedWhilePlayingAndWhileItRuns() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 90, 0xF1, 0x90, 0x03, 0x00])
        for type in [0x49, 0x4A] as [UInt8] {
            let state = UInt32(BRIDGE_ACTUATOR_AWAKE.rawValue)
            let reject = bench.command(type, [0])
            #expect(reject?.code == .notAtRest && reject?.limit == state)
        }
        bench.run(to: start + 200_000)
        #expect(bench.command(0x4A, [0]) == nil)
        #expect(bench.command(0x49, [0])?.code == .notAtRest)
        #expect(bench.command(0x49, [1])?.code == .noActuator)
        #expect(bench.runToRest())
    }

    @Test func aStreamStartedMeanwhilePlaysWhenTheChipIsFree() {
        let bench = Bench.connected()
        bench.command(0x4A, [0])
        bench.load([0xB0, 90, 0xF1, 0xA0, 0x1F, 0x00])
        bench.start(at: bench.now)
        bench.run(for: 500_000)
        #expect(bench.drive == 90)
        #expect(bench.actuatorStatus().diagnosis == .passed)
        #expect(bench.runToRest())
    }

    // MARK: The energy budget, and MUTE

    /// A configuration that allows an eighth of full level continuously, and full level for 2 s.
    private static let budgeted: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (32, 2_000)
        return configuration
    }()

    /// Returns the time for which the chip has been driven, in microseconds.
    private func driven(_ bench: Bench) -> BoardTime {
        var (sum, since): (BoardTime, BoardTime?) = (0, nil)
        for change in bench.board.driveChanges {
            if let begun = since { sum += change.time - begun }
            since = change.drive != 0 ? change.time : nil
        }
        return sum
    }

    @Test(arguments: [0x49, 0x4A] as [UInt8])
    func withTheBudgetUsedUpItIsRefused(type: UInt8) {
        let bench = Bench.connected(Self.budgeted)
        let start = bench.play([0xB0, 255, 0xF3, 0xA0, 0x9C, 0x01])  // 5 s
        bench.run(to: start + 5_200_000)
        #expect(bench.status().faults == .budget)
        bench.forget()
        let end = bench.now + 20_000_000
        var refused = 0
        while bench.now < end {
            if bench.command(type, [0])?.code.rawValue == 16 { refused += 1 }
            bench.run(for: 30_000)
        }
        #expect(refused > 100)
        #expect(driven(bench) < 3_000_000)
    }

    @Test func whatACalibrationDrivesCountsAndEndsItWithTheBudget() throws {
        var configuration = Self.budgeted
        configuration.budget = 73
        let bench = Bench.connected(configuration)
        bench.forget()
        #expect(bench.command(0x49, [0]) == nil)
        #expect(bench.status().state.contains(.driving))
        bench.run(for: 300_000)
        #expect(bench.isAtRest())
        #expect(bench.status().faults == .budget)
        #expect(bench.actuatorStatus().calibration == .failed)
        #expect(abs(driven(bench) - 74 * 1_024) < 3_000)
    }

    @Test func muteEndsItAndForbidsIt() {
        let bench = Bench.connected()
        #expect(bench.command(0x49, [0]) == nil)
        bench.run(for: 50_000)
        #expect(bench.drive != 0)
        bench.ask(0x11, [1, 1, 0, 1])
        #expect(bench.drive == 0)
        #expect(bench.runToRest(limit: 100_000))
        #expect(bench.actuatorStatus().calibration == .failed)
        #expect(bench.command(0x4A, [0])?.code.rawValue == 17)
    }

    @Test func aChipThatGetsHotMeanwhileEndsItAsFailed() {
        let bench = calibrated { bench in
            drv2605_model_inject_over_temperature(bench.chip, UInt64(bench.now), true)
        }
        #expect(bench.actuatorStatus().calibration == .failed)
        #expect(bench.status().faults == .overTemperature)
        #expect(bench.isAtRest())
    }
}
