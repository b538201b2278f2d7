// Tests of the reason why streams contain no reversed drive: actuators with a band do not come to rest
// earlier if their drive is reversed after a tap.

import Foundation
import TestSupport
import Testing

@Suite struct BandBrakeTests {
    /// A tap of two periods, followed by a reversed drive of a given length.
    private struct Tap: CustomStringConvertible {
        var actuator: WideBandActuator
        var frequency: Double

        var description: String { "\(actuator.name) at \(frequency) Hz" }

        /// Returns the rms acceleration in the 15 ms after the tap.
        func vibration(afterBrakeOf length: Double) -> Double {
            var motion = WideBandMotion(actuator)
            let tap = Int((2 / frequency / WideBandMotion.step).rounded())
            let brake = Int((length / WideBandMotion.step).rounded())
            let tail = Int(15e-3 / WideBandMotion.step)
            var sum = 0.0
            for step in 0..<tap + tail {
                let drive = step < tap ? 1.0 : step < tap + brake ? -1 : 0
                _ = motion.advance(drive: drive, frequency: frequency)
                if step >= tap { sum += motion.acceleration * motion.acceleration }
            }
            return (sum / Double(tail)).squareRoot()
        }
    }

    private static let taps = WideBandActuator.all.flatMap { actuator in
        stride(from: 80.0, through: 300, by: 20).map { Tap(actuator: actuator, frequency: $0) }
    }

    /// Checks the plan that is correct for an LRA at its resonance: if the amplitude follows the drive
    /// with the time constant T, a drive that is reversed for T × ln 2 stops a full vibration. Away
    /// from the resonance, the acceleration follows the drive immediately, so that the reversed drive
    /// is felt as well.
    @Test func aReversedDriveLengthensTheVibrationAtMostFrequencies() {
        let worse = Self.taps.filter { tap in
            let brake = tap.actuator.timeConstant * log(2)
            return tap.vibration(afterBrakeOf: brake) > tap.vibration(afterBrakeOf: 0)
        }
        let share = Double(worse.count) / Double(Self.taps.count)
        print("band_brake_worse \(share)")
        #expect(share > 2.0 / 3)
    }

    /// Checks that even the best length, which would require the exact equations of motion of the
    /// actuator, has little effect.
    @Test func noLengthOfAReversedDriveShortensTheVibrationByAThird() {
        let gains = Self.taps.map { tap in
            let lengths = stride(from: 0, through: 10e-3, by: 0.25e-3)
            return 1 - lengths.map { tap.vibration(afterBrakeOf: $0) }.min()!
                / tap.vibration(afterBrakeOf: 0)
        }
        print(
            "band_brake_best max \(gains.max()!), mean \(gains.reduce(0, +) / Double(gains.count))")
        #expect(gains.max()! < 1.0 / 3)
    }
}
