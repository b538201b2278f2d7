// LinkEvent: the events of a session; LinkEnd: the reasons why a session ends.

/// An event on the link. A caller drains the events with `LinkSession.nextEvent()`.
public enum LinkEvent: Equatable, Sendable {
    /// The device adopted the session (SPEC 3).
    case connected(Welcome)
    /// The session is over, and nothing more is sent or received. A new session starts from the
    /// beginning.
    case ended(LinkEnd)

    /// STOP was answered: every stream is closed (SPEC 4.3).
    case stopped(RequestID)
    /// MUTE was answered.
    case muted(RequestID)

    /// The device carried out the command.
    case carriedOut(RequestID)
    /// The device did not carry out the command, urgent message or query.
    case rejected(RequestID, Reject)
    /// A STOP ended the command before it was acknowledged; it will not be carried out later.
    case dropped(RequestID)
    /// Several REJECTs were lost at once: the device received the command, but it is not known
    /// whether it carried it out.
    case outcomeUnknown(RequestID)

    /// A STATUS, either requested or sent by the device unasked.
    case status(Status, RequestID?)
    /// The state of a stream, either requested or sent by the device unasked.
    case stream(StreamStatus, RequestID?)
    case actuator(ActuatorStatus, RequestID?)
    case configuration(ConfigurationAnswer, RequestID?)
    /// The clock estimate has a new sample.
    case clockSampled(ClockEstimate<DeviceTime>, RequestID?)
    /// A query got no answer in several attempts, on a link that otherwise works.
    case unanswered(RequestID)
}
