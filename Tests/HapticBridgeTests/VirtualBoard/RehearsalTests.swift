// Tests of rehearsals, in which a stream plays on the in-process board and a model calculates the
// response of the actuator.

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

    // MARK: Work

    private static let later: Microseconds = 600_000_000

    private static func delayed(_ event: HapticEvent) -> HapticEvent {
        var event = event
        event.time += later
        return event
    }

    @Test(arguments: [ActuatorConfiguration.coinLRA, .coinERM])
    func aSilenceIsNotSimulatedAndChangesNothing(_ configuration: ActuatorConfiguration) throws {
        let first = try rehearsal(of: [Self.tap], on: configuration)
        let both = try rehearsal(of: [Self.tap, Self.delayed(Self.tap)], on: configuration)
        #expect(both.progress.isClean)
        #expect(both.drive == first.drive + first.drive.map(Self.delayed))
        #expect(both.simulatedTime < first.simulatedTime + 1_000_000)
    }

    private static func delayed(_ change: DriveChange) -> DriveChange {
        var change = change
        change.time += later
        return change
    }

    @Test func aConstantLevelIsNotSimulatedForLong() throws {
        let hour = try rehearsal(
            of: [
                HapticEvent(
                    .hapticContinuous, time: 0, duration: 3_600_000_000, intensity: 0.7,
                    sharpness: 1)
            ], on: .coinERM)
        #expect(hour.drive.count == 2 && hour.drive.last?.drive == 0)
        #expect(abs(hour.drive[1].time - hour.drive[0].time - 3_600_000_000) < 1_000)
        #expect(hour.simulatedTime < 2_000_000)
    }

    /// A continuous event exhausts the budget. An hour later, a second continuous event exhausts it
    /// again.
    @Test func anActuatorCoolsInASilenceThatIsNotSimulated() throws {
        var configuration = ActuatorConfiguration.coinERM
        (configuration.sustained, configuration.budget) = (64, 300)
        let hum = HapticEvent(
            .hapticContinuous, time: 0, duration: 1_000_000, intensity: 1, sharpness: 1)
        let first = try rehearsal(of: [hum], on: configuration)
        #expect(first.drive.map(\.drive) == [255, 64, 0])
        let both = try rehearsal(of: [hum, Self.delayed(hum)], on: configuration)
        #expect(both.drive.map(\.drive) == [255, 64, 0, 255, 64, 0])
        for (one, other) in zip(both.drive, both.drive.dropFirst(3)) {
            #expect(abs(other.time - one.time - Self.later) <= 5_000)
        }
    }

    @Test(arguments: [ActuatorConfiguration.coinLRA, .coinERM])
    func aPredictionStoresOnlyWhatChanges(_ configuration: ActuatorConfiguration) {
        func change(_ time: BoardTime, _ drive: Int) -> DriveChange {
            DriveChange(time: time, actuator: 0, drive: drive)
        }
        let pulses = [
            change(0, 200), change(30_400, 90), change(70_000, 0), change(600_000_300, 255),
            change(600_200_000, 0),
        ]
        let felt = FeltAcceleration(of: pulses, on: configuration, for: 602_000_000)
        #expect(felt.samples.count == 602_000)
        #expect(felt.samples.intervals.count < 3_000)
        // The model must calculate each sample, because the drive changes in every millisecond.
        let all = (0..<602_000).map { millisecond in
            let time = BoardTime(millisecond) * 1_000
            return change(time, pulses.last { $0.time <= time }!.drive)
        }
        let each = FeltAcceleration(
            of: (all + pulses).sorted { $0.time < $1.time }, on: configuration, for: 602_000_000)
        #expect(each.samples.intervals.count == 602_000)
        #expect(each.samples.elementsEqual(felt.samples))
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

    private func felt(
        _ drive: Int, on configuration: ActuatorConfiguration, at time: Int
    ) -> Double {
        FeltAcceleration(
            of: [DriveChange(time: 0, actuator: 0, drive: drive)], on: configuration,
            for: BoardTime(time + 1) * FeltAcceleration.step
        ).samples[time]
    }

    @Test(arguments: [ActuatorConfiguration.coinLRA, .coinERM])
    func theAccelerationIsThatOfTheConfiguration(_ coin: ActuatorConfiguration) {
        var configuration = coin
        configuration.acceleration = 2_750
        #expect(FeltAcceleration(of: [], on: configuration, for: 1).rated == 2.75)
        let ratio = felt(255, on: configuration, at: 30) / felt(255, on: coin, at: 30)
        #expect(abs(ratio - 2_750 / Double(coin.acceleration)) < 1e-9)
    }

    @Test(arguments: [ActuatorConfiguration.coinLRA, .coinERM])
    func aSlowerActuatorTakesTheTimeOfItsConfiguration(_ coin: ActuatorConfiguration) {
        var slower = coin
        slower.timeConstant = 2 * coin.timeConstant
        #expect(abs(felt(255, on: slower, at: 40) - felt(255, on: coin, at: 20)) < 1e-9)
    }

    @Test func aMotorTurnsFromItsStartVoltageOn() {
        var motor = ActuatorConfiguration(
            kind: .erm, rated: 3000, overdrive: 3600, chip: .drv2605L, loop: .open)
        let level = 180  // 180 / 255 x 3.0 V is 2.1 V
        #expect(felt(level, on: motor, at: 500) > 0)
        motor.startVoltage = 2_200
        #expect(felt(level, on: motor, at: 500) == 0)
    }

    @Test func whatIsNotKnownIsThatOfTheStandardCoin() {
        for coin in [ActuatorConfiguration.coinLRA, .coinERM] {
            var unknown = coin
            unknown.plant = ActuatorPlant(timeConstant: 0, acceleration: 0)
            let difference = felt(200, on: unknown, at: 30) - felt(200, on: coin, at: 30)
            #expect(abs(difference) < 0.002)
        }
    }

    /// Checks impossible plant models, because a board stores any plant model that a host sends.
    @Test(arguments: [0, 1, 999, 3_000, 65_535] as [UInt16])
    func anImpossiblePlantIsFeltAsANumber(_ value: UInt16) {
        for coin in [ActuatorConfiguration.coinLRA, .coinERM] {
            var odd = coin
            (odd.timeConstant, odd.acceleration) = (max(1, value), max(1, value))
            (odd.startVoltage, odd.runningVoltage) = (value, .max)
            for rated in [0, odd.rated] {
                odd.rated = rated
                #expect(felt(200, on: odd, at: 300).isFinite)
            }
        }
    }

    @Test func anOpenLoopReachesTheRatedAccelerationAtFullLevel() {
        let configuration = ActuatorConfiguration(
            kind: .erm, rated: 3000, overdrive: 3600, chip: .drv2605L, loop: .open)
        let drive = [DriveChange(time: 0, actuator: 0, drive: 255)]
        let felt = FeltAcceleration(of: drive, on: configuration, for: 1_000_000)
        #expect(abs((felt.samples.last ?? 0) - felt.rated) < 0.01 * felt.rated)
    }
}
