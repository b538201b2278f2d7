// TransportError: the reason why a port cannot be opened or used.

import BridgeLink
import POSIX

/// The reason why a port cannot be opened or used.
public enum TransportError: Error, Hashable, Sendable {
    /// The path does not exist.
    case notFound(path: String)
    /// The path exists, but is not the path of a port.
    case notAPort(path: String)
    /// The user has no permission to open the port.
    case noPermission(path: String)
    /// Another program uses the port. `holder` names the program if the system reports it.
    case busy(path: String, holder: String?)
    /// The board or its adapter was unplugged.
    case unplugged(path: String)
    /// Another program serves the board, and does not allow this program to use the board.
    case refused(path: String, reason: String)
    /// A program that served the board has lost the board, or has stopped serving the board.
    case lost(path: String, reason: String, advice: [String])
    /// The port does not support a line setting, for example the baud rate.
    case unsupported(path: String, what: String)
    /// The board cannot be reached over TCP, or the connection was lost.
    case network(path: String, NetworkProblem)
    /// Any other failure. `code` is the value of errno.
    case failed(path: String, operation: String, code: Int32)
}

/// The reason why a board cannot be reached over TCP.
public enum NetworkProblem: Error, Hashable, Sendable {
    /// The path does not have the form `tcp://HOST:PORT`.
    case malformed
    /// The host name is unknown.
    case unknownHost
    /// No program is listening on the port.
    case refused
    /// The computer does not respond.
    case timedOut
    /// No route leads to the computer. `code` is the value of errno.
    case unreachable(code: Int32)
    /// The peer has closed the connection, or the connection was interrupted.
    case closed
    /// A program serves the board at this address, but only for clients that have the key of that
    /// program.
    case needsKey
    /// A key was specified, but no program serves a board at this address.
    case noServer
    /// The program that serves the board has a different key.
    case wrongKey
    /// A key was specified, and the peer has closed the connection without sending a message.
    case turnedAway
    /// The program cannot listen at this address. `code` is the value of errno.
    case cannotListen(code: Int32)
}

extension NetworkProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed:
            "not an address; write tcp://HOST:PORT, and an IPv6 address in brackets"
        case .unknownHost: "unknown host name"
        case .refused: "no program listens at this address; check that the device server is running"
        case .timedOut:
            "the computer does not answer; check that it is switched on and that its firewall "
                + "allows the port"
        case .unreachable(let code): "there is no route to this computer: \(errorText(code))"
        case .needsKey:
            "a program serves the board at this address: specify its key with --key-file or "
                + "BRIDGE_KEY_FILE"
        case .noServer:
            "no `bridge serve --tcp` answers at this address; a device server needs no --key-file"
        case .wrongKey:
            "the key differs from that of the program that serves the board; copy "
                + "the key file of that program"
        case .turnedAway:
            "the peer has closed the connection without a message: `bridge serve --tcp` does so "
                + "after several wrong keys from one computer, and a device server does so if "
                + "another program uses the board; try again in a few seconds"
        case .cannotListen(EADDRINUSE): "another program uses this port"
        case .cannotListen(EACCES):
            "no permission to use this port; choose a port from 1024 on, which needs no permission"
        case .cannotListen(let code): "cannot listen at this address: \(errorText(code))"
        case .closed:
            "the peer has closed the connection; a device server does so if another program "
                + "uses the board, or if the board was unplugged"
        }
    }
}

extension TransportError: CustomStringConvertible {
    public var description: String { "\(path): \(reason)" }

    /// The path of the port.
    public var path: String {
        switch self {
        case .notFound(let path), .notAPort(let path), .noPermission(let path), .busy(let path, _),
            .unplugged(let path), .refused(let path, _), .lost(let path, _, _),
            .unsupported(let path, _),
            .network(let path, _), .failed(let path, _, _):
            path
        }
    }

    /// The description without the path.
    public var reason: String {
        switch self {
        case .notFound: "no such port; check that the board is plugged in"
        case .notAPort: "not a serial port"
        case .noPermission:
            "no permission; add yourself to the group that owns the port (dialout on Debian and "
                + "Ubuntu, uucp on Arch) and log in again"
        case .busy(_, let holder?): "in use by \(holder)"
        case .busy(let path, nil): "in use by another program; `fuser \(path)` shows which program"
        case .unplugged: "unplugged"
        case .refused(_, let reason), .lost(_, let reason, _): reason
        case .unsupported(_, let what): "does not support \(what)"
        case .network(_, let problem): "\(problem)"
        case .failed(_, let operation, let code): "\(operation) failed: \(errorText(code))"
        }
    }
}
