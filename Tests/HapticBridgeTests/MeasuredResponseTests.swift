// Tests of the response of an actuator with a band that is determined from calculated records.

import BridgeLink
import Foundation
import HapticCompiler
import Prediction
import TestSupport
import Testing
import VirtualBoard

@Suite struct MeasuredResponseTests {
    private static let band = FrequencyBand(80...300)

    /// Creates a record of three holds of 160 ms at 80, 160 and 80 Hz, at 1,600 samples per second.
    ///
    /// - Parameter vibration: the acceleration at a time in seconds, during a hold of a frequency.
    private func record(
        _ vibration: (_ time: Double, _ frequency: Double, _ hold: Int) -> Double
    ) throws(FitError) -> VibrationRecord {
        var generator = SeededGenerator(seed: 1)
        let frequencies = [80.0, 160, 80]
        let drive = frequencies.enumerated().flatMap { hold, frequency in
            let start = BoardTime(100_000 + 200_000 * hold)
            return [
                DriveChange(time: start, actuator: 0, drive: 255, frequency: frequency),
                DriveChange(time: start + 160_000, actuator: 0, drive: 0),
            ]
        }
        let samples = (0..<1_200).map { number in
            let time = Double(number) * 625
            let noise = Double.random(in: -0.01...0.01, using: &generator)
            let hold = drive.lastIndex { Double($0.time) <= time } ?? 1
            let acceleration =
                hold % 2 == 0 ? vibration(time * 1e-6, drive[hold].frequency, hold / 2) : 0
            return RecordedAcceleration.Sample(time: time, acceleration: acceleration + noise)
        }
        return try VibrationRecord(samples, drive: drive, sensor: SensorProperties(of: .lis3dh)!)
    }

    private func sine(_ frequency: Double, _ time: Double) -> Double {
        sin(2 * .pi * frequency * time)
    }

    private func response(_ record: VibrationRecord) throws(FitError) -> MeasuredResponse {
        try MeasuredResponse(FitRecords(main: record), unused: record, in: Self.band)
    }

    @Test func aVibrationThatDoesNotFollowTheDriveIsRefused() throws {
        let record = try record { time, _, _ in sine(80, time) }
        let error = #expect(throws: FitError.self) { try response(record) }
        guard case .otherFrequency(drive: 160, let measured) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(abs(measured - 80) < 2)
    }

    @Test func aHarmonicMayBeStrongerThanTheFundamental() throws {
        let response = try response(
            record { time, frequency, _ in
                0.5 * sine(frequency, time) + 0.8 * sine(2 * frequency, time)
            })
        #expect(response.points.map(\.frequency) == [80, 160])
        for point in response.points { #expect(abs(point.acceleration.value - 0.5) < 0.05) }
    }

    @Test func anActuatorThatGrowsWeakerHasARepetitionBelowOne() throws {
        let response = try response(
            record { time, frequency, hold in (hold == 2 ? 0.8 : 1) * sine(frequency, time) })
        #expect(abs(response.repetition - 0.8) < 0.02)
        // The repeated hold differs from the response, which the first hold determines.
        #expect(abs(response.unexplained - 0.2) < 0.02)
    }
}
