// Transport: the bytes' way in and out; TransportError: how it fails.

/// A byte stream to a board. One thread at a time uses it.
public protocol Transport: AnyObject {
    /// What was opened, for messages to people.
    var path: String { get }

    /// What ends a `read` at once, whatever it waits for.
    var wakeUp: WakeUp? { get set }

    /// Waits up to `timeout` microseconds for bytes and returns up to `count` of them; none at the
    /// time-out or after a signal of `wakeUp`. Throws `unplugged` or `failed`.
    func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8]

    /// Writes what fits without waiting. Returns how many bytes that was, 0 included.
    func write(_ bytes: [UInt8]) throws(TransportError) -> Int

    /// Bytes written that the operating system has not sent yet.
    func unsentCount() throws(TransportError) -> Int

    /// Gives the port back. Afterwards, everything else throws.
    func close()
}

/// Why a port cannot be opened or used.
public enum TransportError: Error, Hashable, Sendable {
    /// There is nothing at the path.
    case notFound(path: String)
    /// There is something, but no port.
    case notAPort(path: String)
    /// The user may not open it.
    case noPermission(path: String)
    /// Another program has it; `holder` names it if the system tells.
    case busy(path: String, holder: String?)
    /// The board or its adapter is gone.
    case unplugged(path: String)
    /// The port does not take the line settings, for example the rate.
    case unsupported(path: String, what: String)
    /// Anything else; `code` is errno.
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
