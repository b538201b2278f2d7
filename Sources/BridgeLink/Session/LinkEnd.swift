// LinkEnd: why a session is over.

/// The reason why a session is over.
public enum LinkEnd: Error, Hashable, Sendable {
    /// No WELCOME arrived before the connect time-out.
    case noAnswer(ConnectFailure)
    /// The device speaks no version that this host speaks (SPEC 3).
    case versionRefused(device: ClosedRange<UInt8>, host: ClosedRange<UInt8>)
    /// The device no longer knows the session, because it was reset (SPEC 3).
    case sessionLost(cause: ResetCause, bootCount: UInt16)
    /// No valid frame arrived for that many microseconds although answers were due, or a STOP, a
    /// MUTE or a command was never answered, however often it was sent.
    case silent(Microseconds)
}

/// The data received while no WELCOME arrived, which distinguishes a wrong port from a wrong rate.
public struct ConnectFailure: Hashable, Sendable {
    /// The time for which HELLO was repeated, in microseconds.
    public var waited: Microseconds
    /// The number of bytes that were received.
    public var bytesHeard: Int
    /// The number of frames that were received damaged.
    public var damagedFrames: Int
    /// True if a device answered, but only with NO_SESSION.
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
        if heardNoSession { return "a board answers, but its WELCOME does not arrive" }
        if bytesHeard == 0 { return "nothing was received; does the board have the firmware?" }
        return
            "\(bytesHeard) bytes were received, but no frame; are these the right port and firmware?"
    }
}
