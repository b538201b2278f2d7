// NetworkPort: a board whose bytes come and go by TCP, as device servers such as ser2net pass them.

import BridgeLink
import POSIX

/// The bytes of a board over a TCP connection, unchanged in either direction.
///
/// Nothing protects them on their way: whoever reaches the device server can drive the actuators.
public final class NetworkPort: Transport {
    /// The path that was opened, `tcp://HOST:PORT`.
    public let path: String
    /// The signal that ends a `read` at once; nil if there is none.
    public var wakeUp: WakeUp?
    /// The socket; nil once it is closed.
    private var descriptor: Int32?
    /// The first bytes that have come, as many as tell a board from a program.
    private var first: [UInt8] = []

    /// Connects to `tcp://HOST:PORT`. Throws `network` with the reason why that is impossible.
    public init(path: String) throws(TransportError) {
        self.path = path
        descriptor = try NetworkAddress(path).connect()
    }

    deinit { close() }

    /// Waits up to `timeout` microseconds for bytes and returns up to `count` of them; none at the
    /// time-out or after a signal of `wakeUp`.
    public func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        let descriptor = try open()
        var requests = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let wakeUp { requests.append(wakeUp.request) }
        guard hostClock.poll(&requests, for: timeout) > 0 else { return [] }
        if let wakeUp, requests[1].revents != 0 { wakeUp.take() }
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

    /// Refuses a program that serves its board by messages of its own.
    private func checkIsBoard(_ bytes: [UInt8]) throws(TransportError) {
        let greeting = Array(NetworkAddress.greeting.utf8)
        guard first.count < greeting.count else { return }
        first += bytes.prefix(greeting.count - first.count)
        if first == greeting { throw .network(path: path, .needsKey) }
    }

    /// Writes as many bytes as fit without waiting, and returns their number.
    public func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        let result = LocalAddress.send(bytes, to: try open())
        if result >= 0 { return result }
        guard [EAGAIN, EINTR].contains(errno) else { throw .network(path: path, .closed) }
        return 0
    }

    /// Returns 0: the session has no more bytes on their way than the board has room for.
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
