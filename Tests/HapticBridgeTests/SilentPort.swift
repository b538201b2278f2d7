// SilentPort: a pseudo-terminal with nothing behind it that answers.

import Foundation

/// A port that accepts what it is sent and never answers.
final class SilentPort: Sendable {
    let path: String
    private let master: Int32

    init() {
        var slave: Int32 = -1
        var master: Int32 = -1
        var settings = termios()
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CREAD)
        precondition(openpty(&master, &slave, nil, &settings, nil) == 0)
        path = String(cString: ttyname(slave))
        self.master = master
        close(slave)
    }

    deinit { close(master) }

    /// Whether a host has sent something that has not been read yet.
    var hasHeard: Bool { events & Int16(POLLIN) != 0 }
    /// Whether a host has the port open.
    var isOpen: Bool { events & Int16(POLLHUP) == 0 }

    private var events: Int16 {
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, 0)
        return request.revents
    }
}
