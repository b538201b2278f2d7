// The values of an actuator that the options of `bridge actuator set` specify.

import ArgumentParser
import BridgeLink
import DRV2605
import HapticBridge

extension Actuator.Set {
    /// The validated values of an actuator.
    struct Figures {
        var kind: ActuatorKind
        var resonance: Double
        var band: ClosedRange<Double>?
        var rated: Double
        var overdrive: Double
        var plant: ActuatorPlant
        var name = ""

        /// Creates the values of an actuator from the list, and validates the motion options.
        /// Throws `ValidationError`.
        init(_ known: NamedActuator, _ motion: PlantOptions) throws {
            (kind, resonance) = (known.kind, known.resonance)
            (rated, overdrive) = (known.rated, known.overdrive)
            plant = try motion.refined(
                known.plant, kind: kind, resonance: resonance, rated: rated)
            name = known.storedName
        }

        /// Creates and validates the values. Throws `ValidationError`.
        init(
            _ kind: Actuator.Set.Kind, _ resonance: Double?, _ band: ClosedRange<Double>?,
            _ rated: Double, _ overdrive: Double, _ motion: PlantOptions
        ) throws {
            switch (kind, resonance) {
            case (.lra, nil): throw ValidationError("An LRA needs --resonance HZ.")
            case (.lra, let resonance?) where !(125...300).contains(resonance):
                throw ValidationError("--resonance must be 125 to 300 Hz, the range of the chip.")
            case (.erm, .some), (.wideBand, .some):
                throw ValidationError("--resonance applies only to --kind lra.")
            default: break
            }
            guard (0.1...10).contains(rated), (rated...10).contains(overdrive) else {
                throw ValidationError(
                    "--rated and --overdrive must be 0.1 to 10 volts, and --overdrive at least --rated."
                )
            }
            self.kind = kind == .lra ? .lra : kind == .erm ? .erm : .wideBand
            self.band = band
            self.resonance = resonance ?? 0
            (self.rated, self.overdrive) = (rated, overdrive)
            plant = try motion.refined(
                kind == .wideBand
                    ? ActuatorConfiguration.wideBand.plant
                    : ActuatorPlant(kind: self.kind, resonance: self.resonance, rated: rated),
                kind: self.kind, resonance: self.resonance, rated: rated)
        }
    }
}
