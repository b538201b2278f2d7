// TransportError: the reason why a port cannot be opened or used.

import BridgeLink
import POSIX

/// The reason why a port cannot be opened or used.
public enum TransportError: Error, Hashable, Sendable {
    /// The path does not exist.
    case notFound(path: String)
    /// The path exists, but it is not a port.
    case notAPort(path: String)
    /// The user has no permission to open the port.
    case noPermission(path: String)
    /// Another program uses the port. `holder` names the program if the system reports it.
    case busy(path: String, holder: String?)
    /// The board or its adapter was unplugged.
    case unplugged(path: String)
    /// Another program serves the board and does not let this program use it, or has stopped
    /// serving it.
    case refused(path: String, reason: String)
    /// The port does not support the line settings, for example the rate.
    case unsupported(path: String, what: String)
    /// The board cannot be reached by TCP, or the connection was lost.
    case network(path: String, NetworkProblem)
    /// Any other failure. `code` is errno.
    case failed(path: String, operation: String, code: Int32)
}

/// The reason why a board cannot be reached by TCP.
public enum NetworkProblem: Error, Hashable, Sendable {
    /// The path does not have the form `tcp://HOST:PORT`.
    case malformed
    /// The host name is unknown.
    case unknownHost
    /// No program listens at the port.
    case refused
    /// The computer does not answer.
    case timedOut
    /// There is no route to the computer. `code` is errno.
    case unreachable(code: Int32)
    /// The peer has closed the connection, or the connection was interrupted.
    case closed
    /// A program serves the board there, for clients that have its key.
    case needsKey
    /// A key was specified, but no program serves a board there.
    case noServer
    /// The program that serves the board has a different key.
    case wrongKey
    /// A key was specified, and the peer has closed the connection without a message.
    case turnedAway
    /// The listener cannot be opened at this address. `code` is errno.
    case cannotListen(code: Int32)
}

extension NetworkProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed:
            "not an address; write tcp://HOST:PORT, and an IPv6 address in brackets"
        case .unknownHost: "unknown host name"
        case .refused: "no program listens there; is the device server running at this port?"
        case .timedOut:
            "the computer does not answer; is it switched on, and does its firewall allow the port?"
        case .unreachable(let code): "there is no route to this computer: \(errorText(code))"
        case .needsKey:
            "a program serves the board there: specify its key with --key-file or BRIDGE_KEY_FILE"
        case .noServer:
            "no `bridge serve --tcp` answers there; a device server needs no --key-file"
        case .wrongKey:
            "the key differs from that of the program that serves the board; copy its key file"
        case .turnedAway:
            "the peer has closed the connection without a message: `bridge serve --tcp` does so "
                + "after several wrong keys from one computer, and a device server does so if "
                + "another program uses the board; try again in a few seconds"
        case .cannotListen(let code): "cannot listen here: \(errorText(code))"
        case .closed:
            "the peer has closed the connection; a device server does so if another program "
                + "uses the board, or if the board was unplugged"
        }
    }
}

extension TransportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notFound(let path): "\(path): no such port; is the board plugged in?"
        case .notAPort(let path): "\(path): not a serial port"
        case .noPermission(let path):
            "\(path): no permission; add yourself to the group that owns it "
                + "(dialout on Debian and Ubuntu, uucp on Arch) and log in again"
        case .busy(let path, let holder?): "\(path): in use by \(holder)"
        case .busy(let path, nil):
            "\(path): in use by another program; `fuser \(path)` shows which"
        case .unplugged(let path): "\(path): unplugged"
        case .refused(let path, let reason): "\(path): \(reason)"
        case .unsupported(let path, let what): "\(path): does not support \(what)"
        case .network(let path, let problem): "\(path): \(problem)"
        case .failed(let path, let operation, let code):
            "\(path): \(operation) failed: \(errorText(code))"
        }
    }
}
