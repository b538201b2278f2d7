// PlayActuators: selects the actuators on which to play.

import BridgeLink
import HapticBridge
import ToolSupport

extension Play {
    /// The locality at which the pattern plays.
    var chosenLocality: HapticLocality {
        actuator.map(HapticLocality.actuator) ?? locality ?? .default
    }

    /// Returns the actuators on which to play, selected from all actuators of the board at a port.
    func mask(of actuators: [ActuatorStatus], at port: String) throws(ToolError) -> ActuatorMask {
        do {
            return try chosenLocality.mask(of: actuators)
        } catch {
            throw ToolError(error, at: port, actuators)
        }
    }
}
