// The device profile of an actuator that a board is configured for.

import BridgeLink
import DRV2605
import HapticCompiler

extension DeviceProfile {
    /// Makes the profile of what an actuator of a board can render. The times and the energy budget
    /// come from its configuration, everything else from the coarse profile of its kind.
    ///
    /// - Parameter configuration: a configuration whose kind is `.lra` or `.erm`.
    public init(of configuration: ActuatorConfiguration) {
        self = configuration.kind == .erm ? .erm : .lra
        name = configuration.name.isEmpty ? "board" : configuration.name
        description = "The actuator of a board, as it is configured."
        tapDull = Microseconds(configuration.tapDull)
        tapSharp = Microseconds(configuration.tapSharp)
        plant = Plant(of: configuration)
        budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
    }
}

extension DeviceProfile {
    /// Makes the common profile of several actuators that play one stream, in the order of their
    /// numbers; nil if there are none. The stream is planned for the first LRA, because an LRA can
    /// render more, and tap lengths are those of the first actuator (SPEC 6.1).
    public init?(of configurations: [ActuatorConfiguration]) {
        guard let first = configurations.first else { return nil }
        let planned = configurations.first { $0.kind == .lra } ?? first
        self.init(of: planned)
        tapDull = Microseconds(first.tapDull)
        tapSharp = Microseconds(first.tapSharp)
    }
}

extension Plant {
    /// Makes the plant of a configured actuator and its driver. A configuration that does not say
    /// how the actuator moves gets the estimate for its kind.
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
