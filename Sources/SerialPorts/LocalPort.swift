// LocalPort: the transport to a simulated board over a local socket.

import BridgeLink
import POSIX

/// A transport over a socket with a path. Simulators provide such sockets for their serial ports.
public final class LocalPort: Transport {
    /// The path of the socket.
    public let path: String
    /// The signal that ends a `read` immediately; nil if no signal is needed.
    public var eventSignal: EventSignal?
    /// The socket; -1 after it has been closed.
    private var descriptor: Int32

    /// Connects to the socket at `path`.
    public init(path: String) throws(TransportError) {
        self.path = path
        descriptor = LocalAddress.makeSocket()
        let socket = descriptor
        guard descriptor >= 0, LocalAddress.with(path, { connect(socket, $0, $1) }) == 0 else {
            let code = errno
            close()
            // The socket file exists, but no process is listening on the socket.
            throw code == ECONNREFUSED
                ? .notFound(path: path)
                : TransportError(code: code, path: path, operation: "opening")
        }
    }

    deinit { close() }

    /// Waits up to `timeout` microseconds for bytes, and returns up to `count` of them. Returns no
    /// bytes if the timeout elapses or if `eventSignal` is signaled.
    public func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        guard try terminal.waitForInput(timeout: timeout, orFor: eventSignal) else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = recv(descriptor, &bytes, count, 0)
        if result > 0 { return Array(bytes.prefix(result)) }
        if result < 0, errno == EAGAIN || errno == EINTR { return [] }
        throw .unplugged(path: path)
    }

    /// Writes as many bytes as fit without waiting, and returns the number of bytes that were
    /// written.
    public func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        let result = LocalAddress.send(bytes, to: descriptor)
        if result >= 0 { return result }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw .unplugged(path: path)
    }

    /// Returns 0, because written bytes are transferred immediately.
    public func unsentCount() throws(TransportError) -> Int { 0 }

    /// Closes the connection.
    public func close() {
        if descriptor >= 0 { systemClose(descriptor) }
        descriptor = -1
    }

    private var terminal: TerminalDescriptor {
        TerminalDescriptor(descriptor: descriptor, path: path)
    }
}
