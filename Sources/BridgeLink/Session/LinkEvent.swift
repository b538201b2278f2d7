// LinkEvent: an event of a session.

/// An event on the link. A caller retrieves the events with `LinkSession.nextEvent()`.
public enum LinkEvent: Equatable, Sendable {
    /// The device has accepted the session (SPEC 3).
    case connected(Welcome)
    /// The session has ended, and nothing more is sent or received. To continue, the caller must
    /// create a new session.
    case ended(LinkEnd)

    /// The device has answered STOP: every stream is closed (SPEC 4.3).
    case stopped(RequestID)
    /// The device has answered MUTE.
    case muted(RequestID)

    /// The device has carried out the command.
    case carriedOut(RequestID)
    /// The device has rejected the command, the urgent message or the query.
    case rejected(RequestID, Reject)
    /// A STOP canceled the command before the command was acknowledged. The command will not be
    /// carried out later.
    case dropped(RequestID)
    /// Several REJECTs were lost. The device received the command, but it is unknown whether the
    /// command was carried out.
    case outcomeUnknown(RequestID)

    /// A STATUS, sent either as the answer to a request or by the device on its own.
    case status(Status, RequestID?)
    /// The state of a stream, sent either as the answer to a request or by the device on its own.
    case stream(StreamStatus, RequestID?)
    case actuator(ActuatorStatus, RequestID?)
    case configuration(ConfigurationAnswer, RequestID?)
    case firmware(FirmwareBlock, RequestID?)
    case probed(ProbeAnswer, RequestID?)
    /// The state of the accelerometer, sent either as the answer to a request or by the device on
    /// its own.
    case sensor(SensorState, RequestID?)
    /// Samples of a recording.
    case samples(Samples)
    /// The clock estimate has a new sample.
    case clockSampled(ClockEstimate<DeviceTime>, RequestID?)
    /// The device did not answer any attempt of a query, although the link otherwise works.
    case unanswered(RequestID)
}
