// InternalListener: the listener through which another server of this process admits programs to a
// board.

import BridgeLink
import POSIX
import SerialPorts

/// Admits the programs that another server of this process has accepted, such as the pages of a
/// WebSocket. These programs have the same permissions as programs on other computers.
package final class InternalListener: Listener, Sendable {
    private let eventSignal: EventSignal
    /// The sockets of programs that wait to be accepted; nil after the listener was closed.
    private let waiting = LockedValue<[LocalSocket]?>([])

    let isRemote = true
    let deadline = HostTime.never

    /// Opens the listener. Throws `failed` if the process has no file descriptors left.
    package init() throws(TransportError) { eventSignal = try EventSignal() }

    /// Connects a program. Returns the descriptor of the program's end of a stream socket. The
    /// caller must close the descriptor. Returns nil if the listener is closed, or the process has
    /// no file descriptors left.
    package func connect() -> Int32? {
        guard let (own, other) = LocalAddress.makePair() else { return nil }
        let socket = LocalSocket(descriptor: own)
        let isOpen = waiting.withLock { waiting in
            waiting?.append(socket)
            return waiting != nil
        }
        guard isOpen else {
            systemClose(other)
            return nil
        }
        eventSignal.signal()
        return other
    }

    var requests: [pollfd] { [eventSignal.request] }

    func acceptedConnections() -> [(connection: MessageConnection, refusal: String?)] {
        eventSignal.drain()
        let sockets = waiting.withLock { waiting in
            defer { waiting = waiting.map { _ in [] } }
            return waiting ?? []
        }
        // Another thread passes the messages from a page to the socket of the page. Messages are
        // not read ahead: if a page sends messages faster than they are handled, the socket fills
        // up, and old messages cannot make a page appear alive that no longer runs.
        return sockets.map {
            (MessageConnection($0, readAhead: 0), nil)
        }
    }

    func close() { waiting.withLock { $0 = nil } }
}
