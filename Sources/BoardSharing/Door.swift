// Doors: the ways by which programs come to a board that is served.

import BridgeLink
import HapticBoards
import POSIX
import SerialPorts

/// A place at which programs connect.
protocol Door: AnyObject {
    /// True if programs of other computers come in here, which may do less.
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

/// A pause in which a door lets nobody in, because this process has no descriptors left: a program that
/// waits would be announced again at once.
struct AdmissionPause: Sendable {
    private static let length: Microseconds = 200_000
    private let ends = LockedValue<HostTime>(0)

    /// The host time at which the pause ends; nil if there is none.
    var end: HostTime? { ends.withLock { $0 > Link.now() ? $0 : nil } }

    /// Begins a pause if an attempt to let a program in has failed for want of descriptors.
    ///
    /// - Parameter error: the `errno` of the attempt.
    func begin(after error: Int32) {
        guard error == EMFILE || error == ENFILE else { return }
        ends.withLock { $0 = Link.now() + Self.length }
    }
}

/// The socket for programs of the same user on the same computer.
final class LocalDoor: Door, Sendable {
    private let path: String
    private let listener: LocalSocket
    /// The file of the socket.
    private let file: ino_t?
    private let pause = AdmissionPause()

    let isRemote = false

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

    var deadline: HostTime { pause.end ?? .never }

    var requests: [pollfd] { pause.end == nil ? [listener.request()] : [] }

    func newcomers() -> [(line: MessageLine, refusal: String?)] {
        var newcomers: [(line: MessageLine, refusal: String?)] = []
        while true {
            errno = 0
            guard let socket = listener.accepted() else { break }
            let isOther = !BoardServer.accepts(socket.peer)
            newcomers.append(
                (MessageLine(socket), isOther ? "another user serves this board" : nil))
        }
        pause.begin(after: errno)
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
