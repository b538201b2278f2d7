// The device profile of an actuator that a board is configured for.

import BridgeLink
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
        // If sharpness changes the length of a tap, the difference can be felt.
        keepsTapSharpness = tapDull != tapSharp
        rise = Microseconds(configuration.rise) * 1_000
        brake = Microseconds(configuration.brake) * 1_000
        // A curve that begins at or above the floor lifts every level to it, so that none is too
        // weak.
        if Double(configuration.curve.low) / 255 >= levelFloor { levelFloor = 0 }
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
        keepsTapSharpness = statuses.contains { $0.tapDull != $0.tapSharp }
    }
}
