// Whether an actuator can play.

import CBridgeProtocol

extension ActuatorState {
    /// Whether a stream can be opened on an actuator in this state.
    package var canPlay: Bool { self == .atRest || self == .awake || self == .comingToRest }
}
