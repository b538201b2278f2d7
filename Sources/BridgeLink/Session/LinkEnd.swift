// LinkEnd: the reason why a session has ended.

/// The reason why a session has ended.
public enum LinkEnd: Error, Hashable, Sendable {
    /// No WELCOME arrived before the connection timed out.
    case noAnswer(ConnectFailure)
    /// The device supports no protocol version that this host supports (SPEC 3).
    case versionRefused(device: ClosedRange<UInt8>, host: ClosedRange<UInt8>)
    /// The device described itself with a value that is outside its range (SPEC 4.2).
    case welcomeInvalid(WelcomeViolation)
    /// The device has lost the session because it was reset (SPEC 3).
    case sessionLost(cause: ResetCause, bootCount: UInt16)
    /// The device stopped responding: no valid frame arrived for this number of microseconds
    /// although answers were due, or the device did not answer any copy of a STOP, a MUTE or a
    /// command.
    case silent(Microseconds)
}

/// A field of WELCOME whose value is outside its range, so that no session with the device is
/// possible.
public struct WelcomeViolation: Hashable, Sendable {
    /// The name of the field in SPEC 4.2.
    public var field: String
    /// The value that the device sent.
    public var value: Int
    /// The range of the field.
    public var range: ClosedRange<Int>
}

/// Statistics about the bytes that were received before the connection timed out. The statistics
/// help to distinguish a wrong port from a wrong baud rate.
public struct ConnectFailure: Hashable, Sendable {
    /// The time for which HELLO was sent repeatedly, in microseconds.
    public var waited: Microseconds
    /// The number of bytes that were received.
    public var bytesReceived: Int
    /// The number of damaged frames that were received.
    public var damagedFrames: Int
    /// True if a device answered, but sent only NO_SESSION messages.
    public var receivedNoSession: Bool
}

extension LinkEnd: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noAnswer(let failure): failure.description
        case .versionRefused(let device, let host):
            "the board supports protocol \(Self.words(device)) and this host \(Self.words(host)): "
                + (device.upperBound < host.lowerBound
                    ? "update the firmware of the board" : "update this program")
        case .welcomeInvalid(let violation): violation.description
        case .sessionLost(let cause, let bootCount):
            "the board was reset (\(cause), start \(bootCount)) and is at rest"
        case .silent(let time):
            "the board has not answered for \(time / 1_000) ms; it comes to rest on its own"
        }
    }

    private static func words(_ versions: ClosedRange<UInt8>) -> String {
        versions.count == 1
            ? "version \(versions.lowerBound)"
            : "versions \(versions.lowerBound) to \(versions.upperBound)"
    }
}

extension WelcomeViolation: CustomStringConvertible {
    public var description: String {
        "the board violates the protocol: `\(field)` of its WELCOME is \(value), but a value from "
            + "\(range.lowerBound) to \(range.upperBound) is expected"
    }
}

extension ConnectFailure: CustomStringConvertible {
    public var description: String {
        "no answer in \(waited / 1_000) ms: " + cause
    }

    private var cause: String {
        if receivedNoSession { return "a board answered, but its WELCOME did not arrive" }
        if bytesReceived == 0 {
            return "nothing was received; check that the board has the firmware"
        }
        return
            "\(bytesReceived) bytes were received, but no frame; check the port and the firmware "
            + "of the board"
    }
}
