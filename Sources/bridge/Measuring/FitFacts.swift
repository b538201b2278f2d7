// FitFacts: the result of a fit, as text and as JSON.

import BridgeLink
import JSONText
import Prediction
import ToolSupport

/// The result of a fit, as text and as JSON.
struct FitFacts {
    private let fit: FittedActuator
    private let explanation: FitExplanation
    private let configuration: ActuatorConfiguration

    init(
        _ fit: FittedActuator, _ explanation: FitExplanation,
        _ configuration: ActuatorConfiguration
    ) {
        (self.fit, self.explanation, self.configuration) = (fit, explanation, configuration)
    }

    private var isERM: Bool { configuration.kind == .erm }

    /// The values with their expanded uncertainties.
    var table: Table {
        var table = Table()
        func append(_ name: String, _ value: FittedActuator.Value?, _ decimals: Int, _ unit: String)
        {
            guard let value else { return }
            table.append(
                "  \(name)",
                "\(value.value.text(decimals: decimals)) ± "
                    + "\(value.uncertainty.text(decimals: decimals)) \(unit)")
        }
        let rated = Double(configuration.rated) / 1_000
        append(isERM ? "rotation" : "resonance", fit.frequency, 1, "Hz")
        append("time constant", fit.timeConstant, 1, "ms")
        append("acceleration", fit.acceleration, 2, "g at the rated voltage")
        append("start", fit.start?.scaled(by: rated), 2, "V")
        append("friction", fit.running?.scaled(by: rated), 2, "V")
        append("loop gain", fit.loopGain, 2, "")
        append("delay", fit.delay, 2, "ms")
        let percent = (100 * explanation.unexplained).text(decimals: 1)
        table.append("  another pattern", "explained except for \(percent) %")
        return table
    }

    /// Remarks on values that the fit does not change.
    var remarks: [String] {
        let configured = Double(configuration.resonance) / 10
        guard !isERM, abs(fit.frequency.value - configured) > 0.05 * configured else { return [] }
        let measured = fit.frequency.value.text(decimals: 0)
        return [
            "the resonance is \(measured) Hz, but \(configured.text(decimals: 0)) Hz is configured; "
                + "configure the actuator with --resonance \(measured), and repeat the fit"
        ]
    }

    var json: JSONValue {
        func number(_ value: Double?) -> JSONValue {
            value.map { .number($0, decimals: 4) } ?? nil
        }
        let rated = Double(configuration.rated) / 1_000
        let values: [(name: String, unit: String, value: FittedActuator.Value?)] = [
            ("frequency", "_hz", fit.frequency), ("time_constant", "_ms", fit.timeConstant),
            ("acceleration", "_g", fit.acceleration), ("delay", "_ms", fit.delay),
            ("start", "_volts", fit.start?.scaled(by: rated)),
            ("running", "_volts", fit.running?.scaled(by: rated)),
            ("loop_gain", "", fit.loopGain),
        ]
        var members: [JSONObject.Member] = []
        for (name, unit, value) in values {
            members.append(.init("\(name)\(unit)", number(value?.value)))
            members.append(.init("\(name)_uncertainty\(unit)", number(value?.uncertainty)))
        }
        members.append(.init("unexplained", number(explanation.unexplained)))
        let levels: [JSONValue] = fit.levels.map {
            ["level": number($0.level), "ratio": number($0.ratio)]
        }
        members.append(.init("levels", .array(levels)))
        return JSONValue(.object(JSONObject(members)))
    }
}
