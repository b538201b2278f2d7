// PlayActuators: selects the playing actuators of a board.

import BridgeLink
import HapticBridge

extension Play {
    /// The locality on which the pattern plays.
    var chosenLocality: HapticLocality {
        actuator.map(HapticLocality.actuator) ?? locality ?? .default
    }

    /// Returns the actuators to play on, from those of the board at a port. Prints a warning for
    /// actuators of the locality that cannot play.
    func mask(of actuators: [ActuatorStatus], at port: String) throws(ToolError) -> ActuatorMask {
        let locality = chosenLocality
        do {
            let mask = try locality.mask(of: actuators)
            for idle in locality.actuators(of: actuators)
            where !mask.indices.contains(idle.actuator) {
                output.remark(
                    "\(port): actuator \(idle.actuator) does not play: \(idle.state); "
                        + "see `bridge doctor --port \(port)`")
            }
            return mask
        } catch {
            throw ToolError(error, at: port, actuators)
        }
    }
}

extension ToolError {
    /// Creates an error for a locality that the board at a port does not have.
    init(_ error: LocalityError, at port: String, _ actuators: [ActuatorStatus]) {
        self.init(.usage, "\(port): \(error)")
        guard error.locality.actuator == nil else {
            advice = ["the board has \(actuators.count), counted from 0"]
            return
        }
        guard port != VirtualTransport.name else {
            advice = ["`virtual-board --localities leftHandle,rightHandle` simulates such a board"]
            return
        }
        // Prefer an actuator that has no locality yet.
        let known = actuators.filter { $0.kind != .none }
        let one = known.first { $0.locality == .default } ?? known.first
        let command =
            one.map { "bridge actuator set --port \(port) --actuator \($0.actuator)" }
            ?? Actuator.Set.example(port: port, actuator: 0)
        advice = [
            "configure its actuator, for example:",
            "\(command) --locality \(error.locality.actuatorLocality)",
        ]
    }
}

extension HapticLocality {
    /// The protocol locality for an actuator at this locality; for one with several actuators, the
    /// first.
    fileprivate var actuatorLocality: Locality {
        switch self {
        case .rightHandle: .rightHandle
        case .triggers, .leftTrigger: .leftTrigger
        case .rightTrigger: .rightTrigger
        default: .leftHandle
        }
    }
}
