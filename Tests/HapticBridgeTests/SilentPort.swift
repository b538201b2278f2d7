// SilentPort: a port on which no device answers.

import TestSupport
import VirtualBoard

/// A port that accepts bytes and never answers.
final class SilentPort {
    let path: String
    private let folder = Folder()
    private let socket: SocketEnd

    init() throws {
        path = folder.path("silent")
        socket = try SocketEnd(path: path)
    }

    /// True if a host has sent bytes since this property was last read.
    var hasHeard: Bool { !socket.read().isEmpty }
    /// True while a host has the port open.
    var isOpen: Bool {
        _ = socket.read()
        return socket.isOpen
    }
}
