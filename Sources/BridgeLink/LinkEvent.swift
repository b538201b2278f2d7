// LinkEvent: what a session has to tell; LinkEnd: why it is over.

/// What happened on the link. A caller drains these with `LinkSession.nextEvent()`.
public enum LinkEvent: Equatable, Sendable {
    /// The device adopted the session (SPEC 3).
    case connected(Welcome)
    /// The session is over; nothing more is sent or heard. A new session starts anew.
    case ended(LinkEnd)

    /// STOP was answered: every stream is closed (SPEC 4.3).
    case stopped(RequestID)
    /// MUTE was answered.
    case muted(RequestID)

    /// The device carried the command out.
    case carriedOut(RequestID)
    /// The device did not carry the command, urgent message or query out.
    case rejected(RequestID, Reject)
    /// The command was ended by a STOP before it was acknowledged; it will not be carried out later.
    case dropped(RequestID)
    /// Several REJECTs were lost at once: the command was taken, but how it went is not known.
    case verdictLost(RequestID)

    /// A status, asked for or sent by the device itself.
    case status(Status, RequestID?)
    /// A stream's state, asked for or sent by the device itself.
    case stream(StreamStatus, RequestID?)
    case actuator(ActuatorStatus, RequestID?)
    case configuration(ConfigurationAnswer, RequestID?)
    /// The clock estimate has a new sample.
    case clockSampled(ClockEstimate, RequestID?)
    /// No answer to a query in several attempts, on a link that is otherwise alive.
    case unanswered(RequestID)
}

/// Why a session is over.
public enum LinkEnd: Error, Hashable, Sendable {
    /// No WELCOME before the connect time-out.
    case noAnswer(ConnectFailure)
    /// The device speaks no version that this host speaks (SPEC 3).
    case versionRefused(device: ClosedRange<UInt8>, host: ClosedRange<UInt8>)
    /// The device knows no session any more: it was reset (SPEC 3).
    case sessionLost(cause: ResetCause, bootCount: UInt16)
    /// Not one valid frame in so many microseconds, though answers were due; or no answer to a STOP, a
    /// MUTE or a command, however often it was sent.
    case silent(Microseconds)
}

/// What was heard while no WELCOME came: it tells a wrong port from a wrong rate.
public struct ConnectFailure: Hashable, Sendable {
    /// Microseconds that HELLO was repeated for.
    public var waited: Microseconds
    public var bytesHeard: Int
    public var damagedFrames: Int
    /// Whether a device answered, but with NO_SESSION only.
    public var heardNoSession: Bool
}

extension LinkEnd: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noAnswer(let failure): failure.description
        case .versionRefused(let device, let host):
            "the board speaks protocol \(Self.words(device)) and this host \(Self.words(host)): "
                + (device.upperBound < host.lowerBound
                    ? "update its firmware" : "update this program")
        case .sessionLost(let cause, let bootCount):
            "the board was reset (\(cause), start \(bootCount)) and is at rest"
        case .silent(let time):
            "the board has not answered for \(time / 1_000) ms; it comes to rest by itself"
        }
    }

    private static func words(_ versions: ClosedRange<UInt8>) -> String {
        versions.count == 1
            ? "version \(versions.lowerBound)"
            : "versions \(versions.lowerBound) to \(versions.upperBound)"
    }
}

extension ConnectFailure: CustomStringConvertible {
    public var description: String {
        "no answer in \(waited / 1_000) ms: " + cause
    }

    private var cause: String {
        if heardNoSession { return "a board is there, but its welcome does not arrive" }
        if bytesHeard == 0 { return "nothing was heard; is the firmware on the board?" }
        return "\(bytesHeard) bytes were heard, but no frame; is this the right port and firmware?"
    }
}
