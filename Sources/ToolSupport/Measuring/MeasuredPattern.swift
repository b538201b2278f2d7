// MeasuredPattern: the comparison of a measured pattern with its design and its prediction.

import BridgeLink
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction

/// The measurement of one pattern, compared with its design and its prediction.
package struct MeasuredPattern {
    package let file: PatternFile
    package let pattern: HapticPattern
    package let configuration: ActuatorConfiguration
    package let motion: RecordedMotion
    package let recorded: RecordedAcceleration
    /// The port of the board, and the actuator.
    private let place: String
    package let sensitivity: Sensitivity?
    /// The acceleration of full level in g, and true if it was measured.
    package let full: (value: Double, isMeasured: Bool)
    /// The measured acceleration.
    package let felt: FeltAcceleration
    package let predicted: FeltFidelity
    package let measured: FeltFidelity
    /// The fidelity that would be measured if the actuator vibrated as predicted.
    private let measuredPrediction: FeltFidelity
    /// The motion of each event; nil for sounds.
    package let events: [EventMotion?]
    package let findings: [MotionFinding]
    /// The progress of the playback at its end.
    private let progress: PlaybackProgress

    /// Compares a measurement with the design and the prediction.
    ///
    /// - Parameters:
    ///   - file: the pattern, and the stream that was played.
    ///   - configuration: the configuration of the actuator.
    ///   - prediction: the predicted acceleration of the same stream.
    ///   - place: the port of the board, and the actuator, as text.
    ///   - full: the measured acceleration of full level in g; nil for the rated acceleration.
    ///   - sensitivity: the sensitivity of the accelerometer; nil if it was not determined.
    package init(
        file: PatternFile, on configuration: ActuatorConfiguration, prediction: FeltAcceleration,
        motion: RecordedMotion, recording: PlayedRecording, place: String, full: Double? = nil,
        sensitivity: Sensitivity? = nil, options: CompilerOptions
    ) {
        let pattern = file.pattern ?? HapticPattern()
        let rated = prediction.rated
        (self.file, self.pattern, self.motion, self.place) = (file, pattern, motion, place)
        (recorded, self.sensitivity) = (recording.acceleration, sensitivity)
        self.configuration = configuration
        self.full = (full ?? rated, full != nil)
        let model = MotionEnvelope(
            Array(prediction.samples), step: Double(FeltAcceleration.step))
        felt = FeltAcceleration(motion.envelope, full: self.full.value)
        let blurred = FeltAcceleration(model.measured(as: motion.envelope), full: rated)
        (predicted, measured, measuredPrediction) = (
            FeltFidelity(prediction, of: file, pattern, on: configuration, options: options),
            FeltFidelity(felt, of: file, pattern, on: configuration, options: options),
            FeltFidelity(blurred, of: file, pattern, on: configuration, options: options)
        )
        events = EventMotion.all(
            of: pattern, lead: file.lead, measured: motion.envelope, predicted: model,
            least: Fidelity.leastFelt / 255 * rated, noise: motion.signal.noise)
        findings = MotionFinding.all(
            in: motion.signal, motion.envelope, predicted: model,
            driven: configuration.frequency, recorded: recording.acceleration)
        progress = recording.playing.progress
    }

    /// The place of the measurement: the board, the actuator, the axis and the accelerometer.
    package var mounting: String {
        "\(place), \(predicted.name), measured along \(recorded.axis) by \(recorded.sensor): g at "
            + "this mounting"
    }

    /// The errors of the mounting, of the recording and of the playback that falsify the measurement.
    package var warnings: [String] { findings.map(\.text) + progress.disturbances }

    /// The differences of the levels of an event in JND: from the design and from the prediction.
    package func differences(_ index: Int) -> (design: Double, prediction: Double)? {
        guard let felt = measured.events[index], let expected = measuredPrediction.events[index]
        else { return nil }
        return (
            felt.jnd, Fidelity.steps(between: felt.felt * 255, and: expected.felt * 255)
        )
    }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    /// The mean difference of the events from the prediction, in JND.
    package var meanFromPrediction: Double? {
        Self.mean(pattern.events.indices.compactMap { differences($0)?.prediction })
    }

    /// The mean time by which onsets are later than predicted, in milliseconds.
    package var meanDelay: Double? { Self.mean(events.compactMap { $0?.delay }) }

    /// The greatest amplitude of the vibration, in g.
    package var peak: Double {
        motion.envelope.peak(in: 0..<max(1, motion.envelope.end))?.value ?? 0
    }

    /// The figures of the whole pattern, one sentence for each line.
    package var summary: [String] {
        let full =
            "full level is \(self.full.value.text(decimals: 2)) g, "
            + (self.full.isMeasured ? "measured by a hold" : "the rated acceleration")
        let frequency = motion.envelope.frequency.map { ", at \($0.text(decimals: 1)) Hz" } ?? ""
        let prediction = meanFromPrediction.map {
            "; from the prediction: \($0.text(decimals: 2)) JND"
        }
        let onsets = meanDelay.map {
            "onsets \(abs($0).text(decimals: 2)) ms \($0 < 0 ? "earlier" : "later") than predicted, "
                + "on average"
        }
        let gravity = sensitivity.map {
            "gain \($0.gain.text(decimals: 3)), zero \($0.zero.text(decimals: 3)) g by gravity"
        }
        return [
            "peak \(peak.text(decimals: 2)) g\(frequency); \(full)",
            "from the design: \(measured.meanJND.text(decimals: 2)) JND on average, less than 1 JND "
                + "for \(Int((measured.withinOne * 100).rounded())) % of the events"
                + (prediction ?? ""),
        ] + [onsets].compactMap(\.self) + [
            "accelerometer: \(recorded.rate.text(decimals: 1)) ± "
                + "\(recorded.rateError.text(decimals: 1)) Hz, delay of "
                + "\((recorded.properties.delay / 1_000).text(decimals: 2)) ms subtracted, "
                + (gravity ?? "gain uncertain by 10 % (`bridge measure --orient` finds it)")
        ]
    }
}

extension PlaybackProgress {
    /// The errors of the playback that falsify a measurement, one sentence for each.
    package var disturbances: [String] {
        var sentences: [String] = []
        if underruns + lateEvents + skippedTaps > 0 {
            sentences.append("the board did not play all events on time")
        }
        if !faults.isEmpty { sentences.append("the board reports faults: \(faults)") }
        return sentences
    }
}

extension FeltAcceleration {
    /// Creates the acceleration from the values of an envelope, one for each millisecond.
    fileprivate init(_ envelope: MotionEnvelope, full: Double) {
        self.init(
            measured: stride(from: 0, through: envelope.end, by: Double(Self.step)).map {
                envelope.value(at: $0)
            }, full: full)
    }
}
