// Transport: the bytes' way in and out.

import BridgeLink

/// A byte stream to a board, which only one thread at a time may use.
public protocol Transport: AnyObject {
    /// The path that was opened, for messages to people.
    var path: String { get }

    /// The signal that ends a `read` at once, whatever the `read` waits for; nil if there is none.
    var wakeUp: WakeUp? { get set }

    /// Waits up to `timeout` microseconds for bytes and returns up to `count` of them; none at the
    /// time-out or after a signal of `wakeUp`. Throws `unplugged` or `failed`.
    func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8]

    /// Writes as many bytes as fit without waiting. Returns their number, which may be 0.
    func write(_ bytes: [UInt8]) throws(TransportError) -> Int

    /// Returns the number of written bytes that the operating system has not sent yet.
    func unsentCount() throws(TransportError) -> Int

    /// Gives the port back. After that, every other call throws.
    func close()
}
