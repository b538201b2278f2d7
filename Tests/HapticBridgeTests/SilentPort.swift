// SilentPort: a pseudo-terminal with nobody behind it who answers.

import Foundation

/// A port that takes what it is told and says nothing.
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

    /// Whether a host has said something that was not taken yet.
    var hasHeard: Bool { events & Int16(POLLIN) != 0 }
    /// Whether a host has it open.
    var isOpen: Bool { events & Int16(POLLHUP) == 0 }

    private var events: Int16 {
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, 0)
        return request.revents
    }
}
