// NetworkPort: the transport to a board over TCP, through a device server such as ser2net.

import BridgeLink
import POSIX

/// A transport over a TCP connection that transfers the bytes of the board unchanged.
///
/// The connection is not protected: anyone who can connect to the device server can drive the
/// actuators.
public final class NetworkPort: Transport {
    /// The path that was opened, `tcp://HOST:PORT`.
    public let path: String
    /// The signal that ends a `read` immediately; nil if no signal is needed.
    public var eventSignal: EventSignal?
    /// The socket; nil after it has been closed.
    private var descriptor: Int32?
    /// The first received bytes, which are needed to distinguish a board from a program that serves
    /// a board.
    private var first: [UInt8] = []

    /// Connects to `tcp://HOST:PORT`. If the connection fails, throws `network` with the reason.
    public init(path: String) throws(TransportError) {
        self.path = path
        descriptor = try NetworkAddress(path).connect()
    }

    deinit { close() }

    /// Waits up to `timeout` microseconds for bytes, and returns up to `count` of them. Returns no
    /// bytes if the timeout elapses or if `eventSignal` is signaled.
    public func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        let descriptor = try open()
        var requests = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let eventSignal { requests.append(eventSignal.request) }
        guard hostClock.poll(&requests, for: timeout) > 0 else { return [] }
        if let eventSignal, requests[1].revents != 0 { eventSignal.drain() }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = recv(descriptor, &bytes, count, 0)
        if result > 0 {
            let read = Array(bytes.prefix(result))
            try checkIsBoard(read)
            return read
        }
        guard result < 0, [EAGAIN, EINTR].contains(errno) else {
            throw .network(path: path, .closed)
        }
        return []
    }

    /// Throws an error if the peer is a program that serves its board with the server protocol.
    private func checkIsBoard(_ bytes: [UInt8]) throws(TransportError) {
        let greeting = Array(NetworkAddress.greeting.utf8)
        guard first.count < greeting.count else { return }
        first += bytes.prefix(greeting.count - first.count)
        if first == greeting { throw .network(path: path, .needsKey) }
    }

    /// Writes as many bytes as fit without waiting, and returns the number of bytes that were
    /// written.
    public func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        let result = LocalAddress.send(bytes, to: try open())
        if result >= 0 { return result }
        guard [EAGAIN, EINTR].contains(errno) else { throw .network(path: path, .closed) }
        return 0
    }

    /// Returns 0, because the session never sends more bytes than the board can store.
    public func unsentCount() throws(TransportError) -> Int { 0 }

    /// Closes the connection.
    public func close() {
        if let descriptor { systemClose(descriptor) }
        descriptor = nil
    }

    private func open() throws(TransportError) -> Int32 {
        guard let descriptor else { throw .network(path: path, .closed) }
        return descriptor
    }
}
