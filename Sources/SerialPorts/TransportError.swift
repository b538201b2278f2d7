// TransportError: why a port cannot be opened or used.

import BridgeLink

/// The reason why a port cannot be opened or used.
public enum TransportError: Error, Hashable, Sendable {
    /// There is nothing at the path.
    case notFound(path: String)
    /// The path exists, but it is not a port.
    case notAPort(path: String)
    /// The user has no permission to open the port.
    case noPermission(path: String)
    /// Another program uses the port; `holder` names it if the system reveals it.
    case busy(path: String, holder: String?)
    /// The board or its adapter is gone.
    case unplugged(path: String)
    /// The port does not support the line settings, for example the rate.
    case unsupported(path: String, what: String)
    /// Any other failure; `code` is errno.
    case failed(path: String, operation: String, code: Int32)
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
        case .unsupported(let path, let what): "\(path): does not support \(what)"
        case .failed(let path, let operation, let code):
            "\(path): \(operation) failed: \(errorText(code))"
        }
    }
}
