// The choice of the actuators of a board that play.

import BridgeLink
import HapticBridge

extension Play {
    /// Returns the actuators that play. Those at the locality that cannot play are reported.
    func mask(on board: HapticBoard) throws -> ActuatorMask {
        if let actuator {
            try board.checkActuator(actuator)
            return ActuatorMask(index: actuator)
        }
        let locality = locality ?? .default
        let actuators = try board.actuators()
        do {
            let mask = try locality.mask(of: actuators)
            for idle in locality.actuators(of: actuators)
            where !mask.indices.contains(idle.actuator) {
                output.remark(
                    "\(board.path): actuator \(idle.actuator) is left out: \(idle.state); "
                        + "`bridge doctor --port \(board.path)` says what to do")
            }
            return mask
        } catch {
            throw ToolError(error, on: board, actuators)
        }
    }
}

extension ToolError {
    fileprivate init(_ error: LocalityError, on board: HapticBoard, _ actuators: [ActuatorStatus]) {
        self.init(.usage, "\(board.path): \(error)")
        guard board.path != VirtualTransport.name else {
            advice = ["`virtual-board --localities leftHandle,rightHandle` simulates such a board"]
            return
        }
        // Prefer an actuator that has no locality yet.
        let known = actuators.filter { $0.kind != .none }
        let one = known.first { $0.locality == .default } ?? known.first
        let command =
            one.map { "bridge actuator set --port \(board.path) --actuator \($0.actuator)" }
            ?? Actuator.Set.example(port: board.path, actuator: 0)
        advice = [
            "configure its actuator, for example:",
            "\(command) --locality \(error.locality.actuatorLocality)",
        ]
    }
}

extension HapticLocality {
    /// The protocol's locality for an actuator that is felt here; for a locality that comprises
    /// several, the first.
    fileprivate var actuatorLocality: Locality {
        switch self {
        case .rightHandle: .rightHandle
        case .triggers, .leftTrigger: .leftTrigger
        case .rightTrigger: .rightTrigger
        default: .leftHandle
        }
    }
}
