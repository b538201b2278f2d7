// LocalSocket: a stream socket between processes, usually of one user on one computer.

import Foundation
import POSIX
import SerialPorts

/// A non-blocking stream socket, usually with a path. Child processes do not inherit the socket.
final class LocalSocket: Sendable {
    let descriptor: Int32

    /// The maximum number of connections that wait to be accepted.
    private static let backlog: Int32 = 64

    /// Takes ownership of an open non-blocking socket.
    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The outcome of a read.
    enum Reading {
        case bytes([UInt8])
        /// No data is currently available.
        case nothing
        /// The peer has closed the socket.
        case end
    }

    private static func make() -> LocalSocket? {
        let descriptor = LocalAddress.makeSocket()
        return descriptor >= 0 ? LocalSocket(descriptor: descriptor) : nil
    }

    /// Connects to a path. Returns nil if no process listens there.
    static func connected(to path: String) -> LocalSocket? {
        guard let socket = make() else { return nil }
        let result = LocalAddress.with(path) { connect(socket.descriptor, $0, $1) }
        return result == 0 ? socket : nil
    }

    /// Listens at a path and replaces an existing file. Returns nil on failure and sets `errno`.
    static func listening(at path: String) -> LocalSocket? {
        guard let socket = make() else { return nil }
        unlink(path)
        guard LocalAddress.with(path, { bind(socket.descriptor, $0, $1) }) == 0,
            chmod(path, 0o600) == 0, listen(socket.descriptor, backlog) == 0
        else { return nil }
        return socket
    }

    /// Accepts a connection. Returns nil if no connection is waiting.
    func accepted() -> LocalSocket? {
        let other = accept(descriptor, nil, nil)
        guard other >= 0 else { return nil }
        LocalAddress.prepare(other)
        return LocalSocket(descriptor: other)
    }

    /// Accepts a connection from another computer. Returns nil if no connection is waiting.
    func acceptedFromAfar() -> (socket: LocalSocket, address: String)? {
        NetworkAddress.accept(at: descriptor).map { (LocalSocket(descriptor: $0), $1) }
    }

    /// The user id of the process at the other end; nil if the system does not report it.
    var peer: uid_t? {
        #if os(Linux)
            // The kernel's `struct ucred`: the process, the user and the group.
            var credentials: [UInt32] = [0, 0, 0]
            var size = socklen_t(3 * MemoryLayout<UInt32>.size)
            let result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
            return result == 0 ? credentials[1] : nil
        #else
            var (user, group) = (uid_t(), gid_t())
            return getpeereid(descriptor, &user, &group) == 0 ? user : nil
        #endif
    }

    func read(upTo count: Int = 65_536) -> Reading {
        var bytes = [UInt8](repeating: 0, count: count)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { return .bytes(Array(bytes.prefix(count))) }
        return count < 0 && [EAGAIN, EINTR].contains(errno) ? .nothing : .end
    }

    /// Writes as many bytes as fit into the buffer. Returns the number of bytes that were written;
    /// nil if the other end is closed.
    func write(_ bytes: some Sequence<UInt8>) -> Int? {
        let count = LocalAddress.send(Array(bytes), to: descriptor)
        if count >= 0 { return count }
        return [EAGAIN, EINTR].contains(errno) ? 0 : nil
    }

    /// Ends the connection in both directions.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Returns the `poll` request that waits for the socket. If the request waits for no event, it
    /// makes `poll` ignore the socket: otherwise, `poll` would return immediately once the other
    /// end has been closed.
    func request(reading: Bool = true, writing: Bool = false) -> pollfd {
        let events = (reading ? Int16(POLLIN) : 0) | (writing ? Int16(POLLOUT) : 0)
        return pollfd(fd: events == 0 ? -1 : descriptor, events: events, revents: 0)
    }
}
