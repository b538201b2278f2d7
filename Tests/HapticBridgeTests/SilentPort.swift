// SilentPort: a port with nothing behind it that answers.

import TestSupport
import VirtualBoard

/// A port that accepts what it is sent and never answers.
final class SilentPort {
    let path: String
    private let folder = Folder()
    private let socket: SocketEnd

    init() throws {
        path = folder.path("silent")
        socket = try SocketEnd(path: path)
    }

    /// True if a host has sent something since the last question.
    var hasHeard: Bool { !socket.read().isEmpty }
    /// True if a host has the port open.
    var isOpen: Bool {
        _ = socket.read()
        return socket.isOpen
    }
}
