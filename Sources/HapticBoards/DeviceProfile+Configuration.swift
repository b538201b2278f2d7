// The device profile of a configured actuator of a board.

import BridgeLink
import DRV2605
import HapticCompiler

extension DeviceProfile {
    /// Creates the profile of a configured actuator. The times and the energy budget are derived
    /// from the configuration; all other values come from the generic profile of the actuator's
    /// kind.
    ///
    /// - Parameter configuration: a configuration whose kind is `.lra`, `.erm` or `.wideBand`.
    public init(of configuration: ActuatorConfiguration) {
        self =
            if configuration.band != nil {
                .wideBand
            } else if configuration.kind == .erm {
                .erm
            } else {
                .lra
            }
        name = configuration.name.isEmpty ? "board" : configuration.name
        description = "The actuator of a board with its current configuration."
        tapDull = Microseconds(configuration.tapDull)
        tapSharp = Microseconds(configuration.tapSharp)
        plant = configuration.band == nil ? Plant(of: configuration) : nil
        band = configuration.frequencyBand
        budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
    }
}

extension DeviceProfile {
    /// Creates the common profile of several actuators that play one stream, in the order of their
    /// numbers; nil if there are no actuators. The stream is compiled for the first actuator with a
    /// band or, without one, for the first LRA, because these can render more than an ERM. The tap
    /// lengths of the first actuator apply (SPEC 6.1).
    public init?(of configurations: [ActuatorConfiguration]) {
        guard let first = configurations.first else { return nil }
        let planned =
            configurations.first { $0.band != nil } ?? configurations.first { $0.kind == .lra }
            ?? first
        self.init(of: planned)
        tapDull = Microseconds(first.tapDull)
        tapSharp = Microseconds(first.tapSharp)
    }
}

extension ActuatorConfiguration {
    /// The frequencies that the actuator can render; nil if the actuator has no band.
    package var frequencyBand: FrequencyBand? { band.flatMap { FrequencyBand(of: $0) } }
}

extension FrequencyBand {
    /// Creates the band of a configured actuator; nil if the band is outside the range of the
    /// driver (no device accepts such a band). The response is unknown, so the actuator is
    /// considered equally strong at all frequencies for a given voltage.
    package init?(of band: ActuatorBand) {
        let (low, high) = (Double(band.lowest) / 10, Double(band.highest) / 10)
        guard low < high, DeviceProfile.frequencies.contains(low),
            DeviceProfile.frequencies.contains(high)
        else { return nil }
        self.init(
            low...high, law: Law(band.law),
            idle: DeviceProfile.driverIdle)
    }
}

extension Plant {
    /// Creates the plant of a configured actuator and its driver. If the configuration does not
    /// describe the motion of the actuator, the estimate for its kind is used.
    package init(of configuration: ActuatorConfiguration) {
        let isERM = configuration.kind == .erm
        let rated = max(1, Double(configuration.rated))
        let estimate = ActuatorPlant(
            kind: configuration.kind, resonance: max(1, Double(configuration.resonance) / 10),
            rated: rated / 1_000)
        let plant = configuration.timeConstant > 0 ? configuration.plant : estimate
        let isOpen = configuration.isOpenLoop
        self.init(
            kind: isERM ? .erm : .lra,
            timeConstant: Microseconds((plant.timeConstant * 1_000).rounded()),
            overdrive: max(1, Double(configuration.overdrive) / rated), isClosedLoop: !isOpen,
            start: plant.startVoltage * 1_000 / rated,
            running: min(plant.runningVoltage * 1_000 / rated, Plant.runningMax),
            ratedLevel: isOpen ? Double(configuration.levelMax) / 255 : 1)
    }
}

extension FrequencyBand.Law {
    /// Creates the law from its code (SPEC 8.9); the default law, `logarithmic`, from an unknown
    /// code.
    init(_ law: ActuatorBand.Law) {
        self = Self.allCases.first { ActuatorBand.Law($0) == law } ?? .logarithmic
    }
}

extension ActuatorBand.Law {
    /// Creates the code of a law (SPEC 8.9).
    package init(_ law: FrequencyBand.Law) {
        self =
            switch law {
            case .logarithmic: .logarithmic
            case .linear: .linear
            case .absolute: .absolute
            }
    }
}
