// PortHold: keeps other programs away from a port that this program lets another one use.

import POSIX

/// A port that is open and locked, but not claimed. Programs that take the lock are refused;
/// programs that do not, such as flashing tools, can open the port.
public final class PortHold {
    private let terminal: TerminalDescriptor

    /// Opens and locks `path`. A board that resets on open resets.
    public init(path: String) throws(TransportError) {
        let descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransportError(code: errno, path: path, operation: "opening")
        }
        terminal = TerminalDescriptor(descriptor: descriptor, path: path)
        do throws(TransportError) {
            guard isatty(descriptor) == 1 else { throw .notAPort(path: path) }
            // The port is reserved first, so that a program that comes while another one hands its
            // lock on does not take that lock.
            try terminal.reserve()
            try terminal.lock()
        } catch {
            close()
            throw error
        }
    }

    /// Unlocks and closes the port.
    public func release() {
        unlock()
        close()
    }

    func unlock() { terminal.unlock() }

    func close() { systemClose(terminal.descriptor) }
}
