// Transport: the connection through which a link sends and receives bytes.

import BridgeLink

/// A byte stream to a board. Only one thread may use a transport at a time.
public protocol Transport: AnyObject {
    /// The path that was opened, for messages.
    var path: String { get }

    /// The signal that ends a `read` immediately, regardless of its timeout; nil if no signal is
    /// needed.
    var eventSignal: EventSignal? { get set }

    /// Waits up to `timeout` microseconds for bytes, and returns up to `count` of them. Returns no
    /// bytes if the timeout elapses or if `eventSignal` is signaled. Throws `unplugged` or `failed`.
    func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8]

    /// Writes as many bytes as fit without waiting. Returns the number of bytes that were written,
    /// which may be 0.
    func write(_ bytes: [UInt8]) throws(TransportError) -> Int

    /// Returns the number of written bytes that the operating system has not sent.
    func unsentCount() throws(TransportError) -> Int

    /// Closes the port. After the port has been closed, every other call throws an error.
    func close()
}
