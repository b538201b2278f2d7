// The measured response of an actuator with a band, as text and as JSON.

import JSONText
import Prediction
import ToolSupport

extension MeasuredResponse {
    /// The points with their expanded uncertainties.
    var table: Table {
        var table = Table()
        for point in points {
            let acceleration = point.acceleration
            table.append(
                "  \(point.frequency.text(decimals: 1)) Hz",
                "\(acceleration.value.text(decimals: 2)) ± "
                    + "\(acceleration.uncertainty.text(decimals: 2)) g at full level")
        }
        table.append(
            "  other frequencies", "explained except for \(Self.percent(unexplained)) %")
        return table
    }

    /// The maximum fraction by which a repeated acceleration may differ without being reported.
    private static let leastChange = 0.05

    /// Remarks on the part of the result that a board does not store, and on a change during the
    /// measurement.
    func remarks(profile: String) -> [String] {
        var remarks = [
            "the board does not store the response; play with --profile \(profile) to equalize levels"
        ]
        if abs(repetition - 1) > Self.leastChange {
            let change = "\(Self.percent(abs(repetition - 1))) %"
            remarks.append(
                "after repeated drive, the lowest frequency is \(change) "
                    + (repetition < 1 ? "weaker" : "stronger"))
        }
        return remarks
    }

    var json: JSONValue {
        let response: [JSONValue] = points.map {
            [
                "frequency_hz": .number($0.frequency, decimals: 2),
                "acceleration_g": .number($0.acceleration.value, decimals: 4),
                "acceleration_uncertainty_g": .number($0.acceleration.uncertainty, decimals: 4),
            ]
        }
        return [
            "response": .array(response), "unexplained": .number(unexplained, decimals: 4),
            "repetition": .number(repetition, decimals: 4),
        ]
    }

    private static func percent(_ fraction: Double) -> String { (100 * fraction).text(decimals: 1) }
}
