// PortHold: keeps other programs from a port that this one lets a third use.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A port that is open and locked, but not claimed: programs that take the lock are refused, those
/// that do not, as flashing tools, can open it.
public final class PortHold {
    private let terminal: TerminalDescriptor

    /// Opens and locks `path`. A board that resets on open does so.
    public init(path: String) throws(TransportError) {
        let descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransportError(code: errno, path: path, operation: "opening")
        }
        terminal = TerminalDescriptor(descriptor: descriptor, path: path)
        do throws(TransportError) {
            guard isatty(descriptor) == 1 else { throw .notAPort(path: path) }
            // First, so that one that comes while another hands its lock on does not take that.
            try terminal.reserve()
            try terminal.lock()
        } catch {
            close()
            throw error
        }
    }

    /// Gives the port back.
    public func release() {
        unlock()
        close()
    }

    func unlock() { terminal.unlock() }

    func close() { systemClose(terminal.descriptor) }
}
