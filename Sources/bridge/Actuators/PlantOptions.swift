// PlantOptions: the options of `bridge actuator set` for the motion data of an actuator.

import ArgumentParser
import BridgeLink
import DRV2605
import HapticBridge

/// The options for the values of `ActuatorPlant`. Omitted values are taken from the list of known
/// actuators, or estimated.
struct PlantOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Time constant of the amplitude of an LRA, or of the speed of an ERM.",
            valueName: "ms"))
    var timeConstant: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Quality factor of an LRA, which determines its time constant.", valueName: "q"))
    var quality: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Peak acceleration at the rated voltage.", valueName: "g"))
    var acceleration: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Voltage at which an ERM starts to turn.", valueName: "volts"))
    var startVoltage: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Voltage that the friction of a turning ERM consumes.", valueName: "volts"))
    var runningVoltage: Double?

    /// The figures that the options specify.
    var known: Set<NamedActuator.Figure> {
        let figures: [(NamedActuator.Figure, Double?)] = [
            (.timeConstant, timeConstant ?? quality), (.acceleration, acceleration),
            (.start, startVoltage), (.running, runningVoltage),
        ]
        return Set(figures.filter { $0.1 != nil }.map(\.0))
    }

    /// True if none of the options is given.
    var isEmpty: Bool { known.isEmpty }

    func validate() throws {
        guard timeConstant == nil || quality == nil else {
            throw ValidationError("--time-constant and --quality cannot be combined.")
        }
        if let timeConstant, !(1...1000 ~= timeConstant) {
            throw ValidationError("--time-constant must be 1 to 1000 milliseconds.")
        }
        if let quality, !(1...100 ~= quality) {
            throw ValidationError("--quality must be 1 to 100.")
        }
        if let acceleration, !(0.01...50 ~= acceleration) {
            throw ValidationError("--acceleration must be 0.01 to 50 g.")
        }
    }

    /// Returns the motion data with the values from the options. Throws `ValidationError` if the
    /// values are not valid for the actuator.
    ///
    /// - Parameters:
    ///   - resonance: the resonant frequency in hertz.
    ///   - rated: the rated voltage in volts.
    func refined(
        _ plant: ActuatorPlant, kind: ActuatorKind, resonance: Double, rated: Double
    ) throws(ValidationError) -> ActuatorPlant {
        var plant = plant
        if let quality {
            guard kind == .lra else {
                throw ValidationError("--quality applies only to an LRA, not to an ERM.")
            }
            plant.timeConstant =
                ActuatorPlant.lra(resonance: resonance, quality: quality).timeConstant
        }
        plant.timeConstant = timeConstant ?? plant.timeConstant
        plant.acceleration = acceleration ?? plant.acceleration
        guard startVoltage != nil || runningVoltage != nil else { return plant }
        guard kind == .erm else {
            throw ValidationError(
                "--start-voltage and --running-voltage apply only to an ERM, not to an LRA.")
        }
        // If only one of the two voltages is given, the other voltage is changed only if necessary,
        // because it may be an estimate.
        plant.startVoltage = startVoltage ?? max(plant.startVoltage, runningVoltage ?? 0)
        plant.runningVoltage = runningVoltage ?? min(plant.runningVoltage, plant.startVoltage)
        guard (0.001...rated).contains(plant.startVoltage),
            (0.001...plant.startVoltage).contains(plant.runningVoltage),
            plant.runningVoltage < rated
        else {
            throw ValidationError(
                "--start-voltage must be at most --rated; --running-voltage must be below --rated and at "
                    + "most --start-voltage.")
        }
        return plant
    }
}
