// OptimalDrive: the best that any drive can make of a design, as a measure of plans.

import BridgeLink

/// The trajectory with the least ``FeltError`` that drives of 0...255 can cause on the model of an
/// actuator, which is known beforehand, as is the whole design.
///
/// Dynamic programming over one state of 512 values and steps of 1 ms finds it. A drive may change
/// once a millisecond, to any value between the 256 of the bus, and may begin 100 ms before the
/// pattern. The result is what the model does and thus can be reached, up to the resolution of the
/// bus. It is not exactly the least: between the states of the grid, and between a few excesses of
/// a tap that is too strong, costs are interpolated linearly, so that the drive is chosen by costs
/// that are some hundredths of a step off. The error that is given is therefore at or slightly
/// above the true least.
public struct OptimalDrive: Sendable {
    /// The felt level, 1 for the rated acceleration, at each millisecond of the design's timeline.
    public let felt: [Double]
    /// The error of ``felt``.
    public let error: FeltError

    private let configuration: ActuatorConfiguration
    private let states: [Double]

    /// Finds the best drive for a design.
    public init(for design: FeltDesign, on configuration: ActuatorConfiguration) {
        let reach = ActuatorReach(of: configuration)
        let actuators = CostToGo(of: design, in: reach).bestPositions()
            .map { reach.actuator(at: $0) }
        self.configuration = configuration
        states = actuators.map(\.state)
        felt = actuators.map(\.felt)
        error = FeltError(of: felt, delay: FeltDesign.ahead, against: design)
    }

    /// Returns the drive of each millisecond, -255...255, that comes nearest to the trajectory.
    public func drive() -> [Int] {
        var actuator = ModelledActuator(configuration)
        return states.dropFirst().map { state in
            func reached(_ drive: Int) -> Double {
                var moved = actuator
                moved.advance(under: drive)
                return moved.state
            }
            var (low, high) = (0, 255)
            while high - low > 1 {
                let middle = (low + high) / 2
                if reached(middle) < state { low = middle } else { high = middle }
            }
            let drive = state - reached(low) < reached(high) - state ? low : high
            actuator.advance(under: drive)
            return drive
        }
    }
}
