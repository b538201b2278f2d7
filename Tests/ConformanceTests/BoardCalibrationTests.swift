// Tests of the results of CALIBRATE and DIAGNOSE (SPEC 8), of the interruption of both by STOP, and
// of the values that a chip measures while it drives (SPEC 4.5, ACTUATOR).

import BridgeLink
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct BoardCalibrationTests {
    @Test(arguments: ConformanceBoard.available)
    func aCalibrationThatPassesEntersTheConfiguration(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            #expect(try rig.calibrate().calibration == .passed)
            let configuration = try rig.link.configuration()
            #expect(configuration.calibration == .passed)
            guard board != .real else { return }
            // The chip model's results. BEMF_GAIN is in the lowest bits of FEEDBACK.
            let image = ActuatorConfiguration.coinLRA.image
            #expect(configuration.image[0x18] == 0x09)
            #expect(configuration.image[0x19] == 0x79)
            #expect(configuration.image[0x1A] == image[0x1A] & ~3 | 1)
            let sample = StreamSample.taps
            let played = try PlayedPattern(
                sample.bytes, sample.events, limit: 3_000_000, on: rig.link)
            try rig.expectFelt(played)
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func stopEndsItAndLeavesTheConfiguration(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let configuration = try rig.link.configuration()
            #expect(try rig.link.carryOut(.calibrate(actuator: 0)) == nil)
            rig.link.run(for: 300_000)
            #expect(try rig.link.actuator().state == .calibrating)
            if board.hasTrace { #expect(rig.drive != 0) }
            #expect(try rig.link.carryOut(.calibrate(actuator: 0))?.code == .notAtRest)
            try rig.link.stop()
            #expect(try rig.waitForRest(limit: board.isRealTime ? 1_000_000 : 100_000))
            #expect(try rig.link.configuration() == configuration)
        }
    }

    @Test(arguments: ConformanceBoard.breakable)
    func oneThatFailsChangesNothing(_ board: ConformanceBoard) async throws {
        try await board.test { rig throws in
            rig.parts.chip(.calibration(.fails))
            #expect(try rig.calibrate().calibration == .failed)
            #expect(try rig.link.configuration().image == ActuatorConfiguration.coinLRA.image)
        }
    }

    @Test(arguments: ConformanceBoard.breakable)
    func oneThatNeverEndsIsGivenUpAfterTwoSeconds(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            rig.parts.chip(.calibration(.never))
            rig.board.forgetTrace()
            #expect(try rig.calibrate().calibration == .timedOut)
            #expect(try rig.link.configuration().image == ActuatorConfiguration.coinLRA.image)
            let drives = rig.board.driveChanges
            try #require(drives.count == 2)
            let driven = drives[1].time - drives[0].time
            #expect((1_900_000...2_000_000).contains(driven))
        }
    }

    @Test(arguments: ConformanceBoard.breakable)
    func supplyAndResonanceAreMeasuredAgainWhileALevelIsHeld(_ board: ConformanceBoard) async throws
    {
        try await board.test { rig in
            _ = try rig.begin(StreamSample.held)
            for (millivolts, hertz) in [(4_400, 150), (3_300, 200)] as [(UInt32, UInt32)] {
                rig.parts.chip(.supply(millivolts: millivolts, sag: 0))
                rig.parts.chip(.resonance(hertz: hertz))
                rig.link.run(for: 300_000)
                let actuator = try rig.link.actuator()
                // A step of the supply register is 22 mV, and a step of the period register is 1.7
                // % of the period.
                #expect(abs(Int(actuator.supply) - Int(millivolts)) <= 44, "\(actuator.supply)")
                let measured = try #require(actuator.measuredResonance)
                #expect(abs(measured / Double(hertz) - 1) < 0.02, "\(measured)")
            }
            try rig.link.stop()
            #expect(try rig.waitForRest(limit: 50_000))
        }
    }

    @Test(arguments: ConformanceBoard.breakable, [ChipDiagnosis.ok, .open, .shorted])
    func theDiagnosisIsReported(_ board: ConformanceBoard, _ diagnosis: ChipDiagnosis) async throws
    {
        try await board.test { rig in
            rig.parts.chip(.diagnostics(diagnosis))
            #expect(try rig.link.carryOut(.diagnose(actuator: 0)) == nil)
            #expect(try rig.waitForRest(limit: 3_000_000))
            let found = try rig.link.actuator().diagnosis
            #expect(found == (diagnosis == .ok ? .passed : .failed))
        }
    }
}

extension Rig {
    /// Sends CALIBRATE and waits until the calibration has ended.
    fileprivate func calibrate() throws -> ActuatorStatus {
        #expect(try link.carryOut(.calibrate(actuator: 0)) == nil)
        #expect(try waitForRest(limit: 3_000_000))
        return try link.actuator()
    }
}
