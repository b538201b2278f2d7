// The listeners through which programs connect to a served board.

import BridgeLink
import HapticBoards
import POSIX
import SerialPorts

/// A listener through which programs connect.
protocol Listener: AnyObject {
    /// True if programs on other computers, or pages, connect through this listener. Programs on
    /// other computers, and pages, have fewer permissions.
    var isRemote: Bool { get }
    /// The `poll` requests that wait for programs.
    var requests: [pollfd] { get }
    /// The host time at which `acceptedConnections` must be called even if no program connects.
    var deadline: HostTime { get }
    /// Returns the connections of new programs. If a program is rejected, its connection has the
    /// reason.
    func acceptedConnections() -> [(connection: MessageConnection, refusal: String?)]
    /// Closes the listener.
    func close()
}

/// A pause in which a listener accepts no connection, because this process has no file descriptors
/// left. Without the pause, `poll` would report the waiting connection again immediately.
struct AdmissionPause: Sendable {
    private static let length: Microseconds = 200_000
    private let ends = LockedValue<HostTime>(0)

    /// The host time at which the pause ends; nil if there is no pause.
    var end: HostTime? { ends.withLock { $0 > Link.now() ? $0 : nil } }

    /// Begins a pause if an attempt to accept a connection has failed because this process has no
    /// file descriptors left.
    ///
    /// - Parameter error: the `errno` of the attempt.
    func begin(after error: Int32) {
        guard error == EMFILE || error == ENFILE else { return }
        ends.withLock { $0 = Link.now() + Self.length }
    }
}

/// The listener for programs of the same user on the same computer.
final class UnixListener: Listener, Sendable {
    private let path: String
    private let listener: LocalSocket
    /// The inode of the socket's file.
    private let file: ino_t?
    private let pause = AdmissionPause()

    let isRemote = false

    /// Opens the listener. Throws `RuntimeFolder.Refusal` if there is no safe location for the
    /// socket.
    init(port: String) throws(RuntimeFolder.Refusal) {
        path = try RuntimeFolder().socket(ofPort: port)
        guard let listener = LocalSocket.listening(at: path) else {
            throw RuntimeFolder.Refusal(
                description: "\(path): the socket cannot be created: \(errorText(errno))")
        }
        self.listener = listener
        file = Self.file(at: path)
    }

    var deadline: HostTime { pause.end ?? .never }

    var requests: [pollfd] { pause.end == nil ? [listener.request()] : [] }

    func acceptedConnections() -> [(connection: MessageConnection, refusal: String?)] {
        var connections: [(connection: MessageConnection, refusal: String?)] = []
        while true {
            errno = 0
            guard let socket = listener.accepted() else { break }
            let isOther = !BoardServer.accepts(socket.peer)
            connections.append(
                (MessageConnection(socket), isOther ? "another user serves this board" : nil))
        }
        pause.begin(after: errno)
        return connections
    }

    /// Deletes the socket, unless another program has created its own socket at the same path after
    /// the board was plugged in again.
    func close() {
        if Self.file(at: path) == file { unlink(path) }
    }

    private static func file(at path: String) -> ino_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : nil
    }
}
