// Tests that compare planned drives with the best possible drives.

import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import TestSupport
import Testing

@Suite struct PlannedDriveTests {
    private static let patterns: [[HapticEvent]] = [
        [HapticEvent(.hapticTransient, time: 0, intensity: 0.6, sharpness: 1)],
        [HapticEvent(.hapticTransient, time: 0, intensity: 1, sharpness: 0)],
        [
            HapticEvent(
                .hapticContinuous, time: 0, duration: 300_000, intensity: 0.4, sharpness: 0.5)
        ],
        [
            HapticEvent(
                .hapticContinuous, time: 0, duration: 400_000, intensity: 0.4, sharpness: 0.5),
            HapticEvent(.hapticTransient, time: 200_000, intensity: 0.9, sharpness: 0.5),
        ],
        (0..<8).map {
            HapticEvent(
                .hapticTransient, time: $0 * 40_000, intensity: $0.isMultiple(of: 2) ? 0.8 : 0.3,
                sharpness: 0.5)
        },
    ]

    @Test(arguments: [ActuatorConfiguration.coinLRA, .coinERM], patterns)
    func aPlanIsNeverBetterThanTheOptimum(
        _ coin: ActuatorConfiguration, _ events: [HapticEvent]
    ) throws {
        let pattern = HapticPattern(events: events)
        let compiled = HapticCompiler.compile(pattern, profile: DeviceProfile(of: coin))
        let felt = try FeltAcceleration(of: compiled, on: coin)
        let design = FeltDesign(pattern)
        let planned = FeltError(of: felt.samples.map { $0 / felt.rated }, against: design)
        let optimum = OptimalDrive(for: design, on: coin).error
        // The search for the best drive uses a grid with a spacing of a hundredth of a step.
        #expect(planned.mean > optimum.mean - 0.01)
        #expect(planned.mean < optimum.mean + 3)
    }
}
