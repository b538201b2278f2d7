// OptimalDrive: the best possible drive for a design, for comparison with drive plans.

import BridgeLink
import CDRV2605Model
import Prediction

/// The trajectory with the minimum ``FeltError`` that can be achieved with a drive of 0...255, if
/// the model of the actuator is known and the whole design is known in advance.
///
/// The trajectory is found by dynamic programming in steps of 1 ms, over a single state with 512
/// values. The drive may change once per millisecond to any value, including values between the 256
/// values of the bus, and the drive may begin 100 ms before the pattern. The trajectory is an
/// output of the model, so it can be reached within the resolution of the bus. The trajectory is
/// not exactly optimal, because costs are interpolated linearly between the states of the grid and
/// between a few values of a tap's excess. The costs that determine the drive are therefore
/// inaccurate by some hundredths of a step, and the resulting error is equal to the true minimum or
/// slightly above it.
public struct OptimalDrive: Sendable {
    /// The felt level at each millisecond of the timeline of the design, where 1 is the rated
    /// acceleration.
    public let felt: [Double]
    /// The error of ``felt``.
    public let error: FeltError

    private let model: actuator_model
    private let states: [Double]

    /// Finds the best drive for a design on the modeled actuator of a configuration.
    public init(for design: FeltDesign, on configuration: ActuatorConfiguration) {
        self.init(for: design, on: FeltAcceleration.model(of: configuration))
    }

    /// Finds the best drive for a design on a modeled actuator.
    public init(for design: FeltDesign, on model: actuator_model) {
        let reach = ActuatorReach(of: model)
        let actuators = CostToGo(of: design, in: reach).bestPositions()
            .map { reach.actuator(at: $0) }
        self.model = model
        states = actuators.map(\.state)
        felt = actuators.map(\.felt)
        error = FeltError(of: felt, delay: FeltDesign.ahead, against: design)
    }

    /// Returns, for each millisecond, the drive of -255...255 whose output is nearest to the
    /// trajectory.
    public func drive() -> [Int] {
        var actuator = ModelledActuator(model)
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
