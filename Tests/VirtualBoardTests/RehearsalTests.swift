// Rehearsals: what a stream becomes on the in-process board, and what the modelled actuator makes
// of it.

import BridgeLink
import DRV2605
import HapticCompiler
import HapticPatterns
import Prediction
import Testing
import VirtualBoard

@Suite struct RehearsalTests {
    private func rehearsal(
        of events: [HapticEvent], on configuration: ActuatorConfiguration
    ) throws -> Rehearsal {
        let compiled = HapticCompiler.compile(HapticPattern(events: events))
        return try Rehearsal(
            of: compiled.bytes, tick: Int(compiled.tick), length: compiled.renderedDuration,
            on: configuration)
    }

    private static let tap = HapticEvent(
        .hapticTransient, time: 100_000, intensity: 1, sharpness: 0)

    @Test(arguments: [ActuatorConfiguration.coinLRA, .coinERM])
    func aTapDrivesForItsLengthFromItsTimeOn(_ configuration: ActuatorConfiguration) throws {
        let rehearsal = try rehearsal(of: [Self.tap], on: configuration)
        #expect(rehearsal.progress.isClean)
        #expect(rehearsal.drive.map(\.drive) == [255, 0])
        let start = try #require(rehearsal.drive.first).time
        #expect(abs(start - 100_000) < 1_000)
        let length = rehearsal.drive[1].time - start
        #expect(abs(length - configuration.tapLength(sharpness: 0)) < 500)
    }

    @Test func theSameStreamIsTheSameDriveAgain() throws {
        let events = [
            Self.tap,
            HapticEvent(
                .hapticContinuous, time: 300_000, duration: 500_000, intensity: 0.7, sharpness: 1),
        ]
        let first = try rehearsal(of: events, on: .coinERM)
        #expect(try rehearsal(of: events, on: .coinERM).drive == first.drive)
        #expect(first.drive.last?.drive == 0)
    }

    @Test func aStreamWithoutItsEndIsAFailure() {
        let compiled = HapticCompiler.compile(HapticPattern(events: [Self.tap]))
        #expect(throws: Rehearsal.Failure.self) {
            try Rehearsal(
                of: compiled.bytes.dropLast(), tick: Int(compiled.tick),
                length: compiled.renderedDuration, on: .coinLRA)
        }
    }

    @Test(arguments: [ActuatorConfiguration.coinLRA, .coinERM])
    func fullLevelComesToTheRatedAccelerationAndThenToRest(
        _ configuration: ActuatorConfiguration
    ) throws {
        let drive = [
            DriveChange(time: 0, actuator: 0, drive: 255),
            DriveChange(time: 1_000_000, actuator: 0, drive: 0),
        ]
        let felt = FeltAcceleration(of: drive, on: configuration, for: 1_600_000)
        #expect(felt.samples.count == 1_600)
        #expect(felt.samples[0] == 0)
        #expect(abs(felt.samples[999] - felt.rated) < 0.01 * felt.rated)
        #expect(felt.samples[1_599] < 0.001 * felt.rated)
    }

    /// Checks that in an open loop full scale is the clamp voltage, and `levelMax` the rated
    /// voltage.
    @Test func anOpenLoopReachesTheRatedAccelerationAtItsHighestLevel() {
        let configuration = ActuatorConfiguration(
            kind: .erm, rated: 3000, overdrive: 3600, chip: .drv2605L, loop: .open)
        #expect(configuration.levelMax < 255)
        let drive = [
            DriveChange(time: 0, actuator: 0, drive: Int(configuration.levelMax))
        ]
        let felt = FeltAcceleration(of: drive, on: configuration, for: 1_000_000)
        #expect(abs((felt.samples.last ?? 0) - felt.rated) < 0.01 * felt.rated)
    }
}
