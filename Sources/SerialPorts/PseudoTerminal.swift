// PseudoTerminal: the transport to a virtual or simulated board. This transport does not use
// libserialport, because libserialport accepts only real serial ports.

import BridgeLink
import POSIX

/// The host's end of a pseudo-terminal that a board program provides under a path.
public final class PseudoTerminal: Transport {
    /// The path of the terminal.
    public let path: String
    /// The signal that ends a `read` immediately; nil if no signal is needed.
    public var eventSignal: EventSignal?
    private var descriptor: Int32

    /// Opens `path` in raw mode, for this process only.
    ///
    /// The terminal is locked, but not claimed exclusively: the board program keeps the terminal
    /// open, so the claim of a killed host would never end.
    public init(path: String) throws(TransportError) {
        self.path = path
        descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransportError(code: errno, path: path, operation: "opening")
        }
        do {
            try terminal.lock()
            try terminal.change {
                cfmakeraw(&$0)
                $0.c_cflag &= ~tcflag_t(HUPCL)
            }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Waits up to `timeout` microseconds for bytes, and returns up to `count` of them. Returns no
    /// bytes if the timeout elapses or if `eventSignal` is signaled.
    public func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        guard try terminal.waitForInput(timeout: timeout, orFor: eventSignal) else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = systemRead(descriptor, &bytes, count)
        if result > 0 { return Array(bytes.prefix(result)) }
        if result < 0, errno == EAGAIN || errno == EINTR { return [] }
        // The other end was closed. Some systems report a closed end as the end of the file, other
        // systems as the error EIO.
        throw result == 0 ? .unplugged(path: path) : terminal.failure(of: "reading")
    }

    /// Writes as many bytes as fit without waiting, and returns the number of bytes that were
    /// written.
    public func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        let result = systemWrite(descriptor, bytes, bytes.count)
        if result >= 0 { return result }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw terminal.failure(of: "writing")
    }

    /// Returns the number of written bytes that have not been sent. On systems that transfer the
    /// bytes to the other end immediately, such as Linux, this number is always 0.
    public func unsentCount() throws(TransportError) -> Int {
        try terminal.unsentCount()
    }

    /// Unlocks and closes the terminal.
    public func close() {
        guard descriptor >= 0 else { return }
        terminal.release()
        systemClose(descriptor)
        descriptor = -1
    }

    private var terminal: TerminalDescriptor {
        TerminalDescriptor(descriptor: descriptor, path: path)
    }
}
