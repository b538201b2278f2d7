// PlaybackError: the reason why a playback failed.

import CBridgeProtocol

/// The reason why a playback failed. In all cases, the device brings the actuators to rest.
public enum PlaybackError: Error, Hashable, Sendable {
    /// An actuator cannot play because it is not configured, is in the state FAULT or does not
    /// exist.
    case actuatorNotReady(index: UInt8, state: ActuatorState)
    /// The device did not carry out a message.
    case rejected(Reject)
    /// The device closed the stream because its dead-man timeout elapsed or because an actuator
    /// failed.
    case closedByDevice(Faults)
    /// All event bytes were played, but they did not include END.
    case endMissing
    /// The device did not answer a query, although the link works.
    case unanswered
    /// The session has ended.
    case link(LinkEnd)
}

extension PlaybackError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .actuatorNotReady(let index, .unconfigured):
            "actuator \(index) is not configured"
        case .actuatorNotReady(let index, let state): "actuator \(index) cannot play: \(state)"
        case .rejected(let reject): "\(reject)"
        case .closedByDevice(let faults):
            "the board ended the playback" + (faults.isEmpty ? "" : ": \(faults)")
        case .endMissing: "the event stream has no end"
        case .unanswered: "the board does not answer"
        case .link(let end): "\(end)"
        }
    }
}
