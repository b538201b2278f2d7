// PlantFacts: converts the motion data of an actuator to text and to JSON, and marks estimates.

import BridgeLink
import DRV2605
import HapticBridge
import JSONText
import ToolSupport

/// The motion data of a configuration. A value is indicated as an estimate if it is equal to an
/// estimate: of the actuator with the same name in the list of known actuators, or of an actuator
/// with a band. A configuration does not contain the origin of its values, so a value that a board
/// has stored and that is equal to the estimate is indicated as an estimate, even if it was measured.
struct PlantFacts {
    private let configuration: ActuatorConfiguration
    /// The values that are estimates.
    private let estimated: Set<NamedActuator.Figure>

    /// - Parameter known: the figures that have just been measured or specified, and are therefore
    ///   not estimates.
    init(of configuration: ActuatorConfiguration, known: Set<NamedActuator.Figure> = []) {
        self.configuration = configuration
        guard let (plant, estimates) = Self.estimates(for: configuration) else {
            estimated = []
            return
        }
        var listed = configuration
        listed.plant = plant
        let same: [(NamedActuator.Figure, Bool)] = [
            (.timeConstant, listed.timeConstant == configuration.timeConstant),
            (.acceleration, listed.acceleration == configuration.acceleration),
            (.start, listed.startVoltage == configuration.startVoltage),
            (.running, listed.runningVoltage == configuration.runningVoltage),
        ]
        estimated = estimates.intersection(same.filter { $0.1 }.map(\.0)).subtracting(known)
    }

    /// Returns the motion data that were used for an actuator whose motion was unknown, and the
    /// figures in this data that are estimates; nil if no such data are known.
    private static func estimates(
        for configuration: ActuatorConfiguration
    ) -> (plant: ActuatorPlant, figures: Set<NamedActuator.Figure>)? {
        guard configuration.band == nil else {
            return (ActuatorConfiguration.wideBand.plant, [.timeConstant, .acceleration])
        }
        return NamedActuator.all.first { $0.storedName == configuration.name }.map {
            ($0.plant, Set(NamedActuator.Figure.allCases.filter($0.isEstimate)))
        }
    }

    /// Appends the known values to a table.
    func append(to table: inout Table) {
        let plant = configuration.plant
        func list(_ figures: (NamedActuator.Figure, Double, (Double) -> String)...) -> String {
            figures.filter { $0.1 > 0 }
                .map { $0.2($0.1) + (estimated.contains($0.0) ? " (estimate)" : "") }
                .joined(separator: ", ")
        }
        let motion = list(
            (.timeConstant, plant.timeConstant, { "time constant \($0.text(decimals: 1)) ms" }),
            (.acceleration, plant.acceleration, { "acceleration \($0.text(decimals: 2)) g" }))
        let voltages = list(
            (.start, plant.startVoltage, { "start \($0.text(decimals: 2)) V" }),
            (.running, plant.runningVoltage, { "friction \($0.text(decimals: 2)) V" }))
        if !motion.isEmpty { table.append("  motion", motion) }
        if !voltages.isEmpty { table.append("  turning", voltages) }
    }

    var timeConstant: JSONValue {
        configuration.timeConstant > 0 ? .tenths(configuration.timeConstant) : nil
    }
    var acceleration: JSONValue { .knownThousandths(configuration.acceleration) }
    // The voltages of an ERM; a band is stored in the same fields (SPEC 8.9).
    var startVoltage: JSONValue {
        configuration.band == nil ? .knownThousandths(configuration.startVoltage) : nil
    }
    var runningVoltage: JSONValue {
        configuration.band == nil ? .knownThousandths(configuration.runningVoltage) : nil
    }

    /// The JSON keys of the values that are estimates.
    var estimates: [JSONValue] {
        NamedActuator.Figure.allCases.filter(estimated.contains).map { .string($0.jsonName) }
    }
}

extension NamedActuator.Figure {
    /// The key of the value in JSON.
    var jsonName: String {
        switch self {
        case .resonance: "resonance_hz"
        case .rated: "rated_volts"
        case .overdrive: "overdrive_volts"
        case .timeConstant: "time_constant_ms"
        case .acceleration: "acceleration_g"
        case .start: "start_volts"
        case .running: "running_volts"
        }
    }
}
