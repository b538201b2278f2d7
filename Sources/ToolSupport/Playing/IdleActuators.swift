// IdleActuators: reports actuators that do not play, and localities that a board does not have.

import BridgeLink
import HapticBridge

extension OutputOptions {
    /// Reports the actuators at an engine's locality that cannot play although others can.
    package func remarkIdleActuators(of engine: HapticEngine, at port: String) {
        guard let board = engine.board else { return }
        let faults = engine.statistics.faults.intersection(.ofDriver)
        remarkIdleActuators(
            of: board.actuators, at: engine.locality, faults, on: board.welcome, at: port)
    }

    /// Reports those of a board's actuators at a locality that cannot play although others can.
    package func remarkIdleActuators(
        of actuators: [ActuatorStatus], at locality: HapticLocality, _ faults: Faults,
        on welcome: Welcome, at port: String
    ) {
        guard let mask = try? locality.mask(of: actuators) else { return }
        for idle in locality.actuators(of: actuators)
        where !mask.indices.contains(idle.actuator) {
            remark(ToolError(idle: idle, faults, on: welcome, at: port))
        }
    }
}

extension ToolError {
    /// Creates an error for an actuator that cannot play although others can.
    package init(idle: ActuatorStatus, _ faults: Faults, on welcome: Welcome, at port: String) {
        if idle.state == .fault, !faults.isEmpty {
            self.init(HapticError(faults, of: idle.actuator, .start, on: welcome), at: port)
        } else {
            self.init(
                .inputOutput, "\(port): actuator \(idle.actuator) does not play: \(idle.state)",
                advice: "`bridge doctor --port \(port)` shows the remedy")
        }
    }

    /// Creates an error for a locality that the board at a port does not have.
    package init(_ error: LocalityError, at port: String, _ actuators: [ActuatorStatus]) {
        self.init(.usage, "\(port): \(error)")
        guard error.locality.actuator == nil else {
            advice = ["the board has \(actuators.count.text("actuator")), counted from 0"]
            return
        }
        guard port != VirtualTransport.name else {
            advice = [
                "`virtual-board --localities leftHandle,rightHandle` simulates a board with "
                    + "localities"
            ]
            return
        }
        // The advice prefers an actuator that has no locality yet.
        let known = actuators.filter { $0.kind != .none }
        let one = known.first { $0.locality == .default } ?? known.first
        let command =
            one.map { "bridge actuator set --port \(port) --actuator \($0.actuator)" }
            ?? Self.configurationExample(port: port, actuator: 0)
        advice = [
            "configure the actuator, for example:",
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
