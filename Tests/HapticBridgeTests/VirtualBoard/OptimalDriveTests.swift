// Tests that compare the best drive for a design with closed-form solutions, the model and other
// drives.

import BridgeLink
import DRV2605
import Foundation
import HapticPatterns
import Testing
import VirtualBoard

@testable import Prediction
@testable import TestSupport

@Suite struct OptimalDriveTests: FeltEvents {
    private static let coins = [ActuatorConfiguration.coinLRA, .coinERM]

    private func optimum(
        _ events: [HapticEvent], on configuration: ActuatorConfiguration
    ) -> OptimalDrive {
        OptimalDrive(for: FeltDesign(HapticPattern(events: events)), on: configuration)
    }

    @Test(arguments: coins)
    func whatTheActuatorCanFollowHasNoError(_ coin: ActuatorConfiguration) {
        let patterns = [
            [hum(0..<300, 0.5)], [tap(0, 0.6)], [hum(0..<400, 0.2), tap(200, 0.5)], [],
            [tap(0, 0.3), tap(150, 0.5), tap(300, 0.2)],
        ]
        for pattern in patterns {
            #expect(optimum(pattern, on: coin).error.mean < 0.02, "\(pattern.map(\.time))")
        }
    }

    /// Checks the rise from rest in an interval in which every level is permitted.
    @Test(arguments: [8, 12, 20])
    func aTapThatIsTooShortReachesWhatFullDriveReaches(_ length: Int) throws {
        let full = FeltDesign.steps(of: 1)
        let design = FeltDesign(
            lower: .init(repeating: 0, count: length + 1),
            upper: .init(repeating: full, count: length + 1),
            taps: [FeltDesign.Tap(window: 0..<length + 1, wanted: full...full)])
        func rise(_ goal: Double, _ timeConstant: Double) -> Double {
            goal * (1 - exp(-Double(length) / timeConstant))
        }
        let amplitude = rise(3540.0 / 2500, ActuatorConfiguration.coinLRA.plant.timeConstant)
        // 3.6 V relative to 3.0 V, minus 0.8 V for friction.
        let speed = rise((3.6 - 0.8) / (3.0 - 0.8), 40)
        for (coin, peak) in [(Self.coins[0], amplitude), (Self.coins[1], speed * speed)] {
            let optimum = OptimalDrive(for: design, on: coin)
            let felt = try #require(optimum.felt.max())
            #expect(abs(felt - peak) < 0.01 * peak)
            #expect(abs(optimum.error.taps - log(1 / peak) / log(1.2)) < 0.05)
        }
    }

    /// Checks the fall from a strong tap to a weak tap in an interval without required levels.
    @Test func aTapBehindAStrongerOneIsReachedByTheBrake() throws {
        let full = FeltDesign.steps(of: 1)
        let weak = FeltDesign.steps(of: 0.1)
        let design = FeltDesign(
            lower: .init(repeating: 0, count: 60), upper: .init(repeating: full, count: 60),
            taps: [
                .init(window: 40..<41, wanted: full...full),
                .init(window: 43..<60, wanted: weak...weak),
            ])
        let optimum = OptimalDrive(for: design, on: .coinLRA)
        // Each step that is added to the error of the first tap reduces the error of the second tap
        // by one step.
        let (clamp, decay) = (
            3540.0 / 2500, exp(-3 / ActuatorConfiguration.coinLRA.plant.timeConstant)
        )
        let least = (50...1_000).map { (thousandths: Int) -> Double in
            let first = Double(thousandths) / 1_000
            let second = max(0, (first + clamp) * decay - clamp)
            return full - FeltDesign.steps(of: first)
                + max(0, FeltDesign.steps(of: second) - weak)
        }.min()!
        #expect(abs(optimum.error.taps * 2 - least) < 0.1)
    }

    @Test(arguments: coins)
    func theTrajectoryIsThatOfTheModel(_ coin: ActuatorConfiguration) {
        let optimum = optimum(
            [tap(0, 1), tap(60, 0.4), hum(100..<300, 0.3), tap(200, 0.9)], on: coin)
        let drive = optimum.drive()
        #expect(drive.count == optimum.felt.count - 1)
        #expect(drive.allSatisfy { (0...255).contains($0) })
        let changes = drive.enumerated().map {
            DriveChange(time: BoardTime($0.offset) * 1_000, actuator: 0, drive: $0.element)
        }
        let replayed = FeltAcceleration(
            of: changes, on: coin, for: BoardTime(optimum.felt.count) * 1_000)
        let distances = zip(optimum.felt, replayed.samples).map {
            abs($0 - $1 / replayed.rated)
        }
        #expect(distances.max() ?? 1 < 0.01)
    }

    /// Compares the error of the optimal drive with the errors of its variations and of arbitrary
    /// drives.
    @Test(arguments: coins)
    func noOtherDriveIsBetter(_ coin: ActuatorConfiguration) {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<4 {
            let times = (0..<4).map { _ in Int.random(in: 0...200, using: &generator) }.sorted()
            let events =
                times.map { tap($0, Double.random(in: 0.1...1, using: &generator)) }
                + [hum(100..<160, Double.random(in: 0.1...0.8, using: &generator))]
            let design = FeltDesign(HapticPattern(events: events))
            let optimum = OptimalDrive(for: design, on: coin)
            let best = optimum.drive()
            for trial in 0..<100 {
                var (drive, value) = (best, 0)
                for index in drive.indices {
                    if Int.random(in: 0..<20, using: &generator) == 0 {
                        value = Int.random(in: 0...255, using: &generator)
                    }
                    if trial.isMultiple(of: 2) {
                        drive[index] = value
                    } else if value > 200 {
                        drive[index] = min(255, drive[index] + value / 16)
                    }
                }
                let changes = drive.enumerated().map {
                    DriveChange(time: BoardTime($0.offset) * 1_000, actuator: 0, drive: $0.element)
                }
                let felt = FeltAcceleration(
                    of: changes, on: coin, for: BoardTime(design.count) * 1_000)
                let error = FeltError(
                    of: felt.samples.map { $0 / felt.rated }, delay: FeltDesign.ahead,
                    against: design)
                #expect(error.mean > optimum.error.mean - 0.01)
            }
        }
    }
}
