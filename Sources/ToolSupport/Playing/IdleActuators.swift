// IdleActuators: reports actuators that do not play, and localities that no actuator of a board
// has.

import BridgeLink
import HapticBridge

extension OutputOptions {
    /// Prints a remark on each actuator at an engine's locality that cannot play although other
    /// actuators can play.
    package func remarkIdleActuators(of engine: HapticEngine, at port: String) {
        guard let board = engine.board else { return }
        let faults = engine.statistics.faults.intersection(.ofDriver)
        remarkIdleActuators(
            of: board.actuators, at: engine.locality, faults, on: board.welcome, at: port)
    }

    /// Prints a remark on each actuator at a locality of a board that cannot play although other
    /// actuators can play.
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
    /// Creates an error for an actuator that cannot play although other actuators can play.
    package init(idle: ActuatorStatus, _ faults: Faults, on welcome: Welcome, at port: String) {
        if idle.state == .fault, !faults.isEmpty {
            self.init(HapticError(faults, of: idle.actuator, .start, on: welcome), at: port)
        } else {
            self.init(
                .inputOutput, "\(port): actuator \(idle.actuator) does not play: \(idle.state)",
                advice: "`bridge doctor --port \(port)` shows the remedy")
        }
    }

    /// Creates an error for a locality that no actuator of the board at a port has.
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
        // The example in the advice uses, if possible, an actuator that has no locality yet.
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
    /// The protocol locality of an actuator at this locality. If this locality comprises several
    /// protocol localities, the value is the first of them.
    fileprivate var actuatorLocality: Locality {
        switch self {
        case .rightHandle: .rightHandle
        case .triggers, .leftTrigger: .leftTrigger
        case .rightTrigger: .rightTrigger
        default: .leftHandle
        }
    }
}
