// ActuatorState: the states in which an actuator can play.

import CBridgeProtocol

extension ActuatorState {
    /// True if a stream can be opened on an actuator that is in this state.
    package var canPlay: Bool { self == .atRest || self == .awake || self == .comingToRest }
}
