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
    /// Makes the common profile of several actuators that play one stream: a stream is sent to all
    /// of them if one of them can render it.
    init(of statuses: [ActuatorStatus]) {
        self = statuses.allSatisfy { $0.kind == .erm } ? .erm : .lra
        name = "board"
        tapDull = Microseconds(statuses.map(\.tapDull).max() ?? 0)
        tapSharp = Microseconds(statuses.map(\.tapSharp).min() ?? 0)
    }
}

extension Plant {
    /// Makes the plant of a configured actuator and its driver.
    init(of configuration: ActuatorConfiguration) {
        let isERM = configuration.kind == .erm
        let rated = max(1, Double(configuration.rated)) * (isERM ? 1 : 2.0.squareRoot())
        self.init(
            kind: isERM ? .erm : .lra,
            timeConstant: isERM ? 40_000 : Microseconds(1e8 / (.pi * Double(configuration.resonance))),
            overdrive: max(1, Double(configuration.overdrive) / rated),
            isClosedLoop: configuration.image[0x1D] & 0x21 == 0,
            start: isERM ? 0.667 : 0,
            running: isERM ? 0.267 : 0)
    }
}
