// LinkEvent: an event of a session. LinkEnd: the reason why a session has ended.

/// An event on the link. A caller retrieves the events with `LinkSession.nextEvent()`.
public enum LinkEvent: Equatable, Sendable {
    /// The device has accepted the session (SPEC 3).
    case connected(Welcome)
    /// The session has ended, and nothing more is sent or received. To continue, create a new
    /// session.
    case ended(LinkEnd)

    /// STOP was answered: every stream is closed (SPEC 4.3).
    case stopped(RequestID)
    /// MUTE was answered.
    case muted(RequestID)

    /// The device has carried out the command.
    case carriedOut(RequestID)
    /// The device has rejected the command, urgent message or query.
    case rejected(RequestID, Reject)
    /// A STOP ended the command before it was acknowledged. It will not be carried out later.
    case dropped(RequestID)
    /// Several REJECTs were lost: the device received the command, but it is unknown whether the
    /// device carried it out.
    case outcomeUnknown(RequestID)

    /// A STATUS, either requested or sent by the device without a request.
    case status(Status, RequestID?)
    /// The state of a stream, either requested or sent by the device without a request.
    case stream(StreamStatus, RequestID?)
    case actuator(ActuatorStatus, RequestID?)
    case configuration(ConfigurationAnswer, RequestID?)
    /// The clock estimate has a new sample.
    case clockSampled(ClockEstimate<DeviceTime>, RequestID?)
    /// A query was not answered after several attempts, although the link otherwise works.
    case unanswered(RequestID)
}
