// The profile of an actuator that a board is configured for.

public import BridgeLink
public import HapticCompiler

extension DeviceProfile {
    /// What an actuator of a board can render: the times and the budget of its configuration, and for
    /// the rest the coarse description of its kind.
    ///
    /// - Parameter configuration: one whose kind is `.lra` or `.erm`.
    public init(of configuration: ActuatorConfiguration) {
        self = configuration.kind == .erm ? .erm : .lra
        name = configuration.name.isEmpty ? "board" : configuration.name
        description = "The actuator of a board, as it is configured."
        tapDull = Microseconds(configuration.tapDull)
        tapSharp = Microseconds(configuration.tapSharp)
        // Where sharpness changes the length of a tap, it is felt.
        keepsTapSharpness = tapDull != tapSharp
        rise = Microseconds(configuration.rise) * 1_000
        brake = Microseconds(configuration.brake) * 1_000
        // A curve that begins above the floor lifts every level over it.
        if Double(configuration.curve.low) / 255 >= levelFloor { levelFloor = 0 }
        budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
    }
}

extension DeviceProfile {
    /// What several actuators that play one stream can render together: what one of them can render is
    /// sent to all.
    init(of statuses: [ActuatorStatus]) {
        self = statuses.allSatisfy { $0.kind == .erm } ? .erm : .lra
        name = "board"
        tapDull = Microseconds(statuses.map(\.tapDull).max() ?? 0)
        tapSharp = Microseconds(statuses.map(\.tapSharp).min() ?? 0)
        keepsTapSharpness = statuses.contains { $0.tapDull != $0.tapSharp }
    }
}
