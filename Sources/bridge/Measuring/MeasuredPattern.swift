// MeasuredPattern: the comparison of a measured pattern with its design and its prediction, as
// text, as a picture and as JSON.

import BridgeLink
import HapticBridge
import HapticCompiler
import HapticPatterns
import JSONText
import Prediction
import ToolSupport

/// The measurement of one pattern.
struct MeasuredPattern {
    private let file: PatternFile
    private let pattern: HapticPattern
    private let configuration: ActuatorConfiguration
    private let motion: RecordedMotion
    private let recorded: RecordedAcceleration
    /// The port of the board, and the actuator.
    private let place: String
    private let sensitivity: Sensitivity?
    /// The acceleration of full level in g, and true if it was measured.
    private let full: (value: Double, isMeasured: Bool)
    private let traces: PatternTraces
    private let predicted: FeltFidelity
    private let measured: FeltFidelity
    /// The fidelity that would be measured if the actuator vibrated as predicted.
    private let measuredPrediction: FeltFidelity
    private let events: [EventMotion?]
    let findings: [MotionFinding]

    /// - Parameters:
    ///   - full: the measured acceleration of full level in g; nil for the rated acceleration.
    init(
        file: PatternFile, prediction: ActuatorTraces, motion: RecordedMotion,
        recording: PlayedRecording, place: String, full: Double?, sensitivity: Sensitivity?,
        options: CompilerOptions
    ) {
        let pattern = file.pattern ?? HapticPattern()
        let rated = prediction.felt.rated
        (self.file, self.pattern, self.motion, self.place) = (file, pattern, motion, place)
        (recorded, self.sensitivity) = (recording.acceleration, sensitivity)
        configuration = prediction.configuration
        self.full = (full ?? rated, full != nil)
        let model = MotionEnvelope(
            Array(prediction.felt.samples), step: Double(FeltAcceleration.step))
        let felt = FeltAcceleration(motion.envelope, full: self.full.value)
        let blurred = FeltAcceleration(model.measured(as: motion.envelope), full: rated)
        (predicted, measured, measuredPrediction) = (
            FeltFidelity(prediction.felt, of: file, pattern, on: configuration, options: options),
            FeltFidelity(felt, of: file, pattern, on: configuration, options: options),
            FeltFidelity(blurred, of: file, pattern, on: configuration, options: options)
        )
        var traces = PatternTraces(file, on: [prediction], options: options)
        traces.measured = felt.trace(from: traces.origin - file.lead, until: traces.length)
        self.traces = traces
        events = EventMotion.all(
            of: pattern, lead: file.lead, measured: motion.envelope, predicted: model,
            least: Fidelity.leastFelt / 255 * rated, noise: motion.signal.noise)
        findings = MotionFinding.all(
            in: motion.signal, motion.envelope, predicted: model,
            driven: configuration.frequency, recorded: recording.acceleration)
    }

    private var title: String { file.name.split(separator: "/").last.map(String.init) ?? file.name }

    private var mounting: String {
        "\(place), \(predicted.name), measured along \(recorded.axis) by \(recorded.sensor): g at "
            + "this mounting"
    }

    /// The picture as an SVG document.
    var picture: String { PatternPicture.svg(traces, title: title, facts: mounting) }

    /// The differences of the levels of an event in JND: from the design and from the prediction.
    private func differences(_ index: Int) -> (design: Double, prediction: Double)? {
        guard let felt = measured.events[index], let expected = measuredPrediction.events[index]
        else { return nil }
        return (
            felt.jnd, Fidelity.steps(between: felt.felt * 255, and: expected.felt * 255)
        )
    }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    private var meanFromPrediction: Double? {
        Self.mean(pattern.events.indices.compactMap { differences($0)?.prediction })
    }

    private var delays: [Double] { events.compactMap { $0?.delay } }

    /// The greatest acceleration, in g.
    private var peak: Double { motion.signal.greatest(in: 0...max(0, motion.envelope.end)) }
}

// MARK: Text

extension MeasuredPattern {
    /// Returns the plot, the table of the events, and the figures.
    func text(width: Int, colour: @escaping (String, Terminal.Colour) -> String) -> String {
        let plot = TerminalPlot(traces, width: width, colour: colour)
        return
            (["\(file.name) on \(mounting)", "", plot.text, "", table.text]
            + pulseLines + summary).joined(separator: "\n")
    }

    private var table: Table {
        var table = Table([
            "time s", "event", "designed", "predicted", "measured", "JND", "of prediction",
            "onset ms", "later by ms",
        ])
        for (index, event) in pattern.events.enumerated() where event.type.isHaptic {
            let (felt, expected) = (measured.events[index], predicted.events[index])
            let (difference, motion) = (differences(index), events[index])
            func level(_ value: Double?) -> String { value?.text(decimals: 2) ?? "-" }
            func tenths(_ value: Double?) -> String { value?.text(decimals: 1) ?? "-" }
            table.append(
                (Double(event.time) / 1e6).text(decimals: 3), event.type.rawValue,
                level(felt?.wanted), level(expected?.felt), level(felt?.felt),
                tenths(difference?.design), tenths(difference?.prediction),
                tenths(motion?.onset), level(motion?.delay))
        }
        return table
    }

    /// The figures of each event that is felt alone.
    private var pulseLines: [String] {
        events.enumerated().compactMap { index, motion in
            guard let pulse = motion?.pulse else { return nil }
            let time = (Double(pattern.events[index].time) / 1e6).text(decimals: 3)
            return "event at \(time) s: peak \(pulse.peak.text(decimals: 2)) g, time to peak "
                + "\(pulse.timeToPeak.text(decimals: 1)) ms, duration "
                + "\(pulse.duration.text(decimals: 1)) ms, peak to ring ratio "
                + "\(pulse.ringRatio.text(decimals: 1)), figure of merit "
                + pulse.sharpness.text(decimals: 2)
        }
    }

    private var summary: [String] {
        let full =
            "full level is \(self.full.value.text(decimals: 2)) g, "
            + (self.full.isMeasured ? "measured by a hold" : "the rated acceleration")
        let frequency = motion.envelope.frequency.map { ", at \($0.text(decimals: 1)) Hz" } ?? ""
        let prediction = meanFromPrediction.map {
            "; from the prediction: \($0.text(decimals: 2)) JND"
        }
        let onsets = Self.mean(delays).map {
            "onsets later than predicted by \($0.text(decimals: 2)) ms on average"
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
                + (gravity ?? "gain uncertain by 10 % (--orient finds it)")
        ]
    }
}

// MARK: JSON

extension MeasuredPattern {
    var json: JSONValue {
        [
            "schema": "bridge.measure/1",
            "file": .string(file.name), "actuator": .name(configuration.kind),
            "sensor": .name(recorded.sensor), "axis": .string("\(recorded.axis)"),
            "rate_hz": Self.thousandths(recorded.rate),
            "rate_error_hz": Self.thousandths(recorded.rateError),
            "delay_ms": Self.thousandths(recorded.properties.delay / 1_000),
            "gain": Self.thousandths(sensitivity?.gain),
            "zero_g": Self.thousandths(sensitivity?.zero),
            "lost": .number(recorded.lost), "gaps": .number(recorded.gaps),
            "rest_g": Self.thousandths(motion.signal.rest),
            "noise_g": Self.thousandths(motion.signal.noise),
            "full_g": Self.thousandths(full.value),
            "full": .string(full.isMeasured ? "hold" : "rated"),
            "peak_g": Self.thousandths(peak),
            "frequency_hz": Self.thousandths(motion.envelope.frequency),
            "distortion": Self.thousandths(motion.envelope.distortion),
            "jnd_mean": Self.thousandths(measured.meanJND),
            "within_one_jnd": Self.thousandths(measured.withinOne),
            "prediction_jnd_mean": Self.thousandths(meanFromPrediction),
            "later_mean_ms": Self.thousandths(Self.mean(delays)),
            "events": .array(pattern.events.indices.map(json)),
            "findings": .array(findings.map { .string($0.text) }),
            "acceleration_step_us": .number(Int64(MotionEnvelope.measuredStep)),
            "lead_us": .number(file.lead),
            "acceleration_g": .array(motion.envelope.values.map { Self.thousandths($0) }),
        ]
    }

    private func json(ofEvent index: Int) -> JSONValue {
        let event = pattern.events[index]
        let (felt, expected) = (measured.events[index], predicted.events[index])
        let (difference, motion) = (differences(index), events[index])
        return [
            "time_us": .number(event.time), "event": .string(event.type.rawValue),
            "designed": Self.thousandths(felt?.wanted),
            "predicted": Self.thousandths(expected?.felt),
            "measured": Self.thousandths(felt?.felt),
            "jnd": Self.thousandths(difference?.design),
            "prediction_jnd": Self.thousandths(difference?.prediction),
            "onset_ms": Self.thousandths(motion?.onset),
            "predicted_onset_ms": Self.thousandths(motion?.predictedOnset),
            "pulse": motion?.pulse.map(Self.json) ?? nil,
        ]
    }

    private static func json(of pulse: PulseFigures) -> JSONValue {
        [
            "peak_g": thousandths(pulse.peak), "time_to_peak_ms": thousandths(pulse.timeToPeak),
            "duration_ms": thousandths(pulse.duration),
            "peak_to_ring": thousandths(pulse.ringRatio),
            "figure_of_merit": thousandths(pulse.sharpness),
        ]
    }

    private static func thousandths(_ value: Double?) -> JSONValue {
        value.map { .thousandths(Int(($0 * 1_000).rounded())) } ?? nil
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
