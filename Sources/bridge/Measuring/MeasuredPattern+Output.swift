// MeasuredPattern+Output: a measured pattern as text, as a picture and as JSON.

import BridgeLink
import HapticCompiler
import HapticPatterns
import JSONText
import Prediction
import ToolSupport

extension MeasuredPattern {
    /// Returns the traces of the pattern, the prediction and the measurement, for a picture.
    func traces(_ prediction: ActuatorTraces, options: CompilerOptions) -> PatternTraces {
        var traces = PatternTraces(file, on: [prediction], options: options)
        traces.measured = felt.trace(from: traces.origin - file.lead, until: traces.length)
        return traces
    }

    private var title: String { file.name.split(separator: "/").last.map(String.init) ?? file.name }

    /// Returns the picture as an SVG document.
    func picture(_ traces: PatternTraces) -> String {
        PatternPicture.svg(traces, title: title, facts: mounting)
    }

    // MARK: Text

    /// Returns the plot, the table of the events, and the figures.
    func text(
        _ traces: PatternTraces, width: Int,
        colour: @escaping (String, Terminal.Colour) -> String
    ) -> String {
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
            "later_mean_ms": Self.thousandths(meanDelay),
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
