// Tests of plans for fitted actuators: their errors before and after the fit.

import BridgeLink
import DRV2605
import HapticPatterns
import TestSupport
import Testing

@Suite struct FittedPlanTests {
    /// Levels and taps of several intensities.
    private static let pattern = HapticPattern(
        events: [
            HapticEvent(.hapticTransient, time: 0, intensity: 0.9, sharpness: 0.6),
            HapticEvent(.hapticTransient, time: 150_000, intensity: 0.4, sharpness: 1),
            HapticEvent(
                .hapticContinuous, time: 400_000, duration: 500_000, intensity: 0.3,
                sharpness: 0.5),
            HapticEvent(
                .hapticContinuous, time: 1_000_000, duration: 300_000, intensity: 0.7,
                sharpness: 0.5),
        ])

    /// Returns the mean errors for several hidden plants, in steps.
    private func means(
        _ coin: ActuatorConfiguration
    ) throws -> (before: Double, after: Double, known: Double, optimum: Double) {
        var generator = SeededGenerator(seed: 48)
        let count = 6
        var sums = (before: 0.0, after: 0.0, known: 0.0, optimum: 0.0)
        for _ in 0..<count {
            let compared = try FittedComparison(
                of: Self.pattern, until: 2_000_000, configured: coin, from: &generator)
            sums.before += compared.before.mean / Double(count)
            sums.after += compared.after.mean / Double(count)
            sums.known += compared.known.mean / Double(count)
            sums.optimum += compared.optimum.mean / Double(count)
        }
        return sums
    }

    @Test func afterTheFitAnERMIsFeltMoreAsDesigned() throws {
        let means = try means(.coinERM)
        #expect(means.after < 0.15 * means.before, "\(means)")
        #expect(abs(means.after - means.known) < 0.005, "\(means)")
        #expect(means.after < means.optimum + 0.01, "\(means)")
    }

    /// The driver regulates the amplitude of an LRA, so plans for the nominal LRA already suit
    /// other LRAs, and most of the remaining error is the rounding of levels to 8 bits.
    @Test func afterTheFitAnLRAIsFeltAsDesigned() throws {
        let means = try means(.coinLRA)
        #expect(means.after < 0.6 * means.before, "\(means)")
        #expect(means.after < means.optimum + 0.015, "\(means)")
    }
}
