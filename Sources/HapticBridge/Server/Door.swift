// Doors: the ways by which programs come to a board that is served.

import BridgeLink
import POSIX
import SerialPorts

/// A place at which programs connect.
protocol Door: AnyObject {
    /// Whether programs of other computers come in here, which may do less.
    var isRemote: Bool { get }
    /// The requests by which `poll` waits for programs.
    var requests: [pollfd] { get }
    /// The host time at which `newcomers` has something to do even if nobody comes.
    var deadline: HostTime { get }
    /// Returns the programs that have come in, with the reason for which one is refused.
    func newcomers() -> [(line: MessageLine, refusal: String?)]
    /// Lets nobody in any more.
    func close()
}

/// The socket for programs of the same user on the same computer.
final class LocalDoor: Door, Sendable {
    private let path: String
    private let listener: LocalSocket
    /// The file of the socket.
    private let file: ino_t?
    /// The host time until which nobody is let in, because there are no descriptors.
    private let pausedUntil = LockedValue<HostTime>(0)

    let isRemote = false

    /// The time for which nobody is let in once there are no descriptors, in microseconds.
    private static let pause: Microseconds = 200_000

    /// Throws `RuntimeFolder.Refusal` if there is no safe place for the socket.
    init(port: String) throws(RuntimeFolder.Refusal) {
        path = try RuntimeFolder().socket(ofPort: port)
        guard let listener = LocalSocket.listening(at: path) else {
            throw RuntimeFolder.Refusal(
                description: "\(path): no socket can be made: \(errorText(errno))")
        }
        self.listener = listener
        file = Self.file(at: path)
    }

    var deadline: HostTime { isPaused ? pausedUntil.withLock { $0 } : .never }

    var requests: [pollfd] { isPaused ? [] : [listener.request()] }

    private var isPaused: Bool { pausedUntil.withLock { $0 } > Link.now() }

    func newcomers() -> [(line: MessageLine, refusal: String?)] {
        var newcomers: [(line: MessageLine, refusal: String?)] = []
        while true {
            errno = 0
            guard let socket = listener.accepted() else { break }
            let isOther = !BoardServer.accepts(socket.peer)
            newcomers.append(
                (MessageLine(socket), isOther ? "another user serves this board" : nil))
        }
        // Who waits would be announced again at once.
        if errno == EMFILE || errno == ENFILE {
            pausedUntil.withLock { $0 = Link.now() + Self.pause }
        }
        return newcomers
    }

    /// Deletes the socket, unless another program has made its own there: that of a board which was
    /// plugged in again.
    func close() {
        if Self.file(at: path) == file { unlink(path) }
    }

    private static func file(at path: String) -> ino_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : nil
    }
}
