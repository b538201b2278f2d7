// Tests of the analysis of accelerations, with signals that are computed here.

import BridgeLink
import Foundation
import HapticPatterns
import Prediction
import Testing

@Suite struct MotionAnalysisTests {
    /// Returns samples at 1,600 Hz from 30 ms before the stream until `end`, in seconds.
    private func samples(
        until end: Double, gravity: Double = 1, _ value: (Double) -> Double
    ) -> [RecordedAcceleration.Sample] {
        stride(from: -0.03, to: end, by: 1 / 1_600).map {
            RecordedAcceleration.Sample(time: $0 * 1e6, acceleration: gravity + value($0))
        }
    }

    /// Returns the properties of an accelerometer with a bandwidth in hertz.
    private func sensor(bandwidth: Double = 1e6) throws -> SensorProperties {
        var sensor = try #require(SensorProperties(of: .lis3dh))
        sensor.bandwidth = bandwidth
        return sensor
    }

    private func vibration(_ frequency: Double, at time: Double) -> Double {
        cos(2 * .pi * frequency * time + 0.4)
    }

    @Test(arguments: [150.0, 170, 190])
    func theAmplitudeAndTheFrequencyOfAVibrationAreMeasured(_ frequency: Double) throws {
        let signal = try #require(
            MotionSignal(
                samples(until: 0.3) { time in
                    0.1..<0.2 ~= time ? 0.8 * self.vibration(frequency, at: time) : 0
                }, range: 8))
        #expect(abs(signal.rest - 1) < 1e-9 && signal.noise < 1e-9 && signal.clipped == 0)
        let envelope = try MotionEnvelope(of: signal, frequency: 170, sensor: sensor())
        #expect(abs(envelope.mean(in: 110_000..<190_000) - 0.8) < 0.03)
        #expect(try abs(#require(envelope.frequency) - frequency) < 2)
        #expect(try #require(envelope.distortion) < 0.2)
        #expect(envelope.mean(in: 10_000..<90_000) < 1e-6)
        #expect(try #require(envelope.peak(in: 205_000..<290_000)).value < 1e-6)
    }

    @Test func theBandwidthOfTheAccelerometerIsCorrected() throws {
        let signal = try #require(
            MotionSignal(
                samples(until: 0.3) { self.vibration(170, at: $0) * ($0 < 0 ? 0 : 1) }, range: 8))
        let wide = try MotionEnvelope(of: signal, frequency: 170, sensor: sensor())
        let narrow = try MotionEnvelope(
            of: signal, frequency: 170, sensor: sensor(bandwidth: 170))
        let times = 100_000.0..<200_000.0
        #expect(abs(narrow.mean(in: times) / wide.mean(in: times) - 2.0.squareRoot()) < 1e-6)
    }

    @Test func theBandwidthIsCorrectedAtTheFrequencyOfEachMoment() throws {
        let sensor = try sensor(bandwidth: 400)
        let signal = try #require(
            MotionSignal(
                samples(until: 0.4) { time in
                    guard time >= 0 else { return 0 }
                    let frequency = time < 0.2 ? 100.0 : 400
                    return sensor.gain(at: frequency) * self.vibration(frequency, at: time)
                }, range: 8))
        let envelope = MotionEnvelope(
            ofBand: signal, frequencies: [(0, 100), (200_000, 400)], sensor: sensor)
        for time in [50_000.0, 150_000, 250_000, 350_000] {
            #expect(abs(envelope.value(at: time) - 1) < 0.04, "\(time)")
        }
    }

    /// A vibration is measured from before its onset until after its end, with half of the window.
    @Test func theBandwidthIsCorrectedBeforeTheFirstFrequency() throws {
        let sensor = try sensor(bandwidth: 400)
        let signal = try #require(
            MotionSignal(
                samples(until: 0.2) { $0 < 0.1 ? 0 : self.vibration(400, at: $0) }, range: 8))
        let motor = MotionEnvelope(ofMotor: signal)
        let band = MotionEnvelope(ofBand: signal, frequencies: [(100_000, 400)], sensor: sensor)
        for time in [96_000.0, 104_000] {
            let ratio = band.value(at: time) / motor.value(at: time)
            #expect(abs(ratio - 2.0.squareRoot()) < 0.001, "\(time)")
        }
    }

    @Test(arguments: [60.0, 100, 220])
    func theAmplitudeOfAMotorIsMeasuredAtAnySpeed(_ frequency: Double) throws {
        let signal = try #require(
            MotionSignal(
                samples(until: 0.4) { $0 < 0 ? 0 : 0.5 * self.vibration(frequency, at: $0) },
                range: 8))
        let envelope = MotionEnvelope(ofMotor: signal)
        for time in stride(from: 50_000.0, to: 350_000, by: 10_000) {
            #expect(abs(envelope.value(at: time) - 0.5) < 0.02)
        }
        #expect(envelope.frequency == nil)
    }

    /// Returns the value, at a time in seconds, of a triangle that is 20 ms wide and has its peak,
    /// 1, at 100 ms.
    private func pulse(at time: Double) -> Double { max(0, 1 - abs(time - 0.1) / 0.01) }

    @Test func theFiguresOfAPulseAreThoseOfItsShape() throws {
        let envelope = MotionEnvelope(
            stride(from: 0, to: 0.3, by: 0.000_25).map { 2 * self.pulse(at: $0) }, step: 250)
        let figures = try #require(PulseFigures(of: envelope, in: 20_000..<200_000, noise: 0.001))
        #expect(abs(figures.peak - 2) < 1e-9 && abs(figures.timeToPeak - 9) < 0.01)
        #expect(abs(figures.duration - 10) < 0.01)
        // The mean of the ring is the area under the last 5 ms, 0.0025, divided by 50 ms.
        #expect(abs(figures.ringRatio - 2 / 0.05) < 2.5)
        #expect(abs(figures.sharpness - figures.ringRatio / 10) < 0.01)
        #expect(PulseFigures(of: envelope, in: 20_000..<120_000, noise: 0.001) == nil)
        #expect(try abs(#require(envelope.onset(in: 0..<300_000, least: 0.1)) - 95_000) < 1)
        #expect(envelope.onset(in: 0..<300_000, least: 2.1) == nil)
        #expect(envelope.onset(in: 97_000..<300_000, least: 0.1) == nil)
    }

    @Test func anEventThatIsMeasuredLateIsLate() throws {
        let pattern = HapticPattern(events: [
            HapticEvent(.hapticTransient, time: 90_000, intensity: 1),
            HapticEvent(.hapticTransient, time: 600_000, intensity: 1),
        ])
        let values = stride(from: 0, to: 1, by: 0.000_25)
        let predicted = MotionEnvelope(values.map { self.pulse(at: $0) }, step: 250)
        let measured = MotionEnvelope(values.map { self.pulse(at: $0 - 0.003) / 3 }, step: 250)
        let motions = EventMotion.all(
            of: pattern, lead: 10_000, measured: measured, predicted: predicted, least: 0.05,
            noise: 0.001)
        let first = try #require(motions[0])
        #expect(try abs(#require(first.predictedOnset) + 5) < 0.01)
        #expect(try abs(#require(first.delay) - 3) < 0.01)
        #expect(try abs(#require(first.pulse).peak - 1.0 / 3) < 0.01)
        #expect(motions[1]?.onset == nil && motions[1]?.delay == nil)
    }

    @Test func gravityGivesTheGainAndTheZero() throws {
        let sensitivity = try #require(Sensitivity(up: 1.07, down: -0.97))
        #expect(abs(sensitivity.gain - 1.02) < 1e-9 && abs(sensitivity.zero - 0.05) < 1e-9)
        let signal = try #require(
            MotionSignal(
                samples(until: 0.2, gravity: 1.07) { $0 < 0 ? 0 : 1.02 }, range: 8,
                sensitivity: sensitivity))
        #expect(abs(signal.rest - 1) < 1e-9 && abs(signal.greatest(in: 0...1e5) - 1) < 1e-9)
        #expect(Sensitivity(up: 1, down: 1) == nil, "not turned")
        #expect(Sensitivity(up: -1, down: 1) == nil, "turned the other way")
        #expect(Sensitivity(up: 0.7, down: -0.7) == nil, "not vertical")
    }

    @Test func theRestIsFinerThanAStepAndIgnoresWrongSamples() throws {
        var samples = samples(until: 0.2) { _ in 0 }
        for index in samples.indices where index % 4 == 0 { samples[index].acceleration += 0.016 }
        samples[0].acceleration = -0.5
        let signal = try #require(MotionSignal(samples, range: 8))
        #expect(abs(signal.rest - 1.004) < 0.000_5)
    }

    // MARK: Findings

    private func findings(
        measured: (Double) -> Double, predicted: (Double) -> Double = { $0 < 0.1 ? 1 : 0 },
        gravity: Double = 1
    ) throws -> [MotionFinding] {
        let samples = samples(until: 0.4, gravity: gravity, measured)
        let signal = try #require(MotionSignal(samples, range: 2))
        var recording = SensorRecording(of: try #require(SensorProperties(of: .lis3dh)))
        for index in 0..<3 {
            recording.append(
                BridgeLink.Samples(
                    gaps: 0, number: UInt16(index * 12), time: UInt32(index * 9_000),
                    reached: UInt16(index * 12), values: Array(repeating: 0, count: 12)))
        }
        let recorded = try #require(
            RecordedAcceleration(recording, of: .lis3dh, .z, end: .complete, expected: 36))
        return MotionFinding.all(
            in: signal, MotionEnvelope(of: signal, frequency: 170, sensor: recorded.properties),
            predicted: MotionEnvelope(
                stride(from: 0, to: 0.4, by: 0.001).map(predicted), step: 1_000),
            driven: 170, recorded: recorded)
    }

    private func driven(_ frequency: Double = 170, until end: Double = 0.1) -> (Double) -> Double {
        { 0..<end ~= $0 ? 0.9 * self.vibration(frequency, at: $0) : 0 }
    }

    @Test func aGoodMeasurementHasNoFindings() throws {
        #expect(try findings(measured: driven()).isEmpty)
        #expect(try findings(measured: { _ in 0 }, predicted: { _ in 0.02 }).isEmpty)
    }

    @Test func whatFalsifiesAMeasurementIsFound() throws {
        #expect(try findings(measured: { _ in 0 }) == [.still(predicted: 1)])
        let table = try findings(measured: driven(120))
        guard case .otherFrequency(let measured, 170) = try #require(table.first) else {
            Issue.record("\(table)")
            return
        }
        #expect(abs(measured - 120) < 10)
        let rattling = try findings(measured: { time in
            0.5 * (self.driven()(time) + self.driven(430)(time))
        })
        guard case .distorted(let fraction) = try #require(rattling.first) else {
            Issue.record("\(rattling)")
            return
        }
        #expect(0.5...0.9 ~= fraction)
        let ringing = try findings(measured: driven(until: 0.3))
        guard case .ringsOn(let milliseconds) = try #require(ringing.first) else {
            Issue.record("\(ringing)")
            return
        }
        #expect(abs(milliseconds - 200) < 10)
        let clipped = try findings(measured: { min(1, 1.2 * self.driven()($0)) })
        guard case .clipped(let count, 8) = try #require(clipped.first) else {
            Issue.record("\(clipped)")
            return
        }
        #expect(count > 3)
        #expect(
            try findings(measured: { 0.2 * self.vibration(30, at: $0) }, predicted: { _ in 0 })
                .contains { if case .restless = $0 { true } else { false } })
        #expect(
            try findings(measured: { _ in 0 }, predicted: { _ in 0 }, gravity: 1.4)
                == [.gravity(rest: 1.4)])
    }

    @Test func theEndOfAHoldIsFound() throws {
        let envelope = MotionEnvelope(
            stride(from: 0, to: 1, by: 0.001).map {
                $0 < 0.4 ? 0.8 : max(0, 0.8 - 10 * ($0 - 0.4))
            },
            step: 1_000)
        let rest = try #require(envelope.rest(after: 400_000, noise: 0.002))
        #expect(abs(rest - 472_000) <= 1_000)
        #expect(envelope.rest(after: 400_000, noise: 0.3) == nil, "the noise hides the hold")
        #expect(envelope.rest(after: 900_000, noise: 0.002) == nil, "nothing is held")
    }

    @Test func aRecordingWithoutRestHasNoSignal() {
        let late = samples(until: 0.3) { _ in 0 }.filter { $0.time > -2_000 }
        #expect(MotionSignal(late, range: 8) == nil)
        #expect(MotionSignal(samples(until: -0.001) { _ in 0 }, range: 8) == nil)
    }
}
