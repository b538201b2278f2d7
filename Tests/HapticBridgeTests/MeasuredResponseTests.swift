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
    /// - Parameters:
    ///   - noise: the greatest noise, in g.
    ///   - vibration: the acceleration at a time in seconds, during a hold of a frequency.
    private func record(
        noise most: Double = 0.01,
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
            let noise = Double.random(in: -most...most, using: &generator)
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

    @Test func theUncertaintyGrowsWithTheNoise() throws {
        func uncertainty(noise: Double) throws -> Double {
            let record = try record(noise: noise) { time, frequency, _ in
                0.4 * sine(frequency, time)
            }
            let response = try MeasuredResponse(
                FitRecords(main: record, gainUncertainty: 0), unused: record, in: Self.band)
            return response.points[0].acceleration.uncertainty
        }
        #expect(try uncertainty(noise: 0.08) > 1.4 * uncertainty(noise: 0.01))
    }

    /// A difference of more than 20 % is a misfit.
    @Test(arguments: [(0.85, false), (0.75, true)])
    func anActuatorThatGrowsWeakerHasARepetitionBelowOne(
        _ ratio: Double, _ isMisfit: Bool
    ) throws {
        let response = try response(
            record { time, frequency, hold in (hold == 2 ? ratio : 1) * sine(frequency, time) })
        #expect(abs(response.repetition - ratio) < 0.02)
        // The repeated hold differs from the response, which the first hold determines.
        #expect(abs(response.unexplained - (1 - ratio)) < 0.02)
        #expect(response.isMisfit == isMisfit)
    }
}
