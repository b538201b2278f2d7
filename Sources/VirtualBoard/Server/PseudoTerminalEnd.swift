// PseudoTerminalEnd: the board's end of a pseudo-terminal.

import BridgeLink
import POSIX
import SerialPorts

/// A pseudo-terminal operation that failed, with its error code.
package struct BoardTerminalError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32

    package var description: String { "\(operation) failed: \(String(cString: strerror(code)))" }
}

/// A new pseudo-terminal in raw mode. Hosts open the other end, whose path is `path`.
package final class PseudoTerminalEnd: BoardTerminal {
    package let path: String
    private var master: Int32 = -1
    /// The file descriptor of the end that hosts open; -1 if this program does not keep that end
    /// open. If that end stays open, the terminal continues to exist when all hosts have closed it.
    private var slave: Int32 = -1

    private static let readMax = 4096

    /// - Parameter staysOpen: true if the terminal accepts bytes even while no host has opened it.
    ///   If false, ``isOpen`` indicates whether a host has opened it.
    package init(staysOpen: Bool) throws(BoardTerminalError) {
        // The terminal must be in raw mode before the first host opens it, so that no byte is
        // echoed or changed.
        var settings = termios()
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CREAD)
        guard openpty(&master, &slave, nil, &settings, nil) == 0,
            let path = terminalPath(of: slave)
        else {
            throw BoardTerminalError(operation: "creating a pseudo-terminal", code: errno)
        }
        self.path = path
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        if !staysOpen { closeSlave() }
    }

    deinit {
        closeSlave()
        close(master)
    }

    private func closeSlave() {
        if slave >= 0 { close(slave) }
        slave = -1
    }

    /// True if a host has opened the other end. If the terminal itself keeps that end open, the
    /// value is always true.
    package var isOpen: Bool { events(until: Link.now()) & Int16(POLLHUP) == 0 }

    package func wait(until deadline: HostTime) {
        // If no host has opened the terminal, `poll` always reports the terminal as ready. In that
        // case, only the deadline ends the wait.
        guard events(until: deadline) & Int16(POLLHUP) != 0 else { return }
        hostClock.sleep(for: deadline - Link.now())
    }

    private func events(until deadline: HostTime) -> Int16 {
        var requests = [pollfd(fd: master, events: Int16(POLLIN), revents: 0)]
        return hostClock.poll(&requests, until: deadline) > 0 ? requests[0].revents : 0
    }

    package func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.readMax)
        let count = systemRead(master, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    package func write(_ bytes: [UInt8]) {
        if !bytes.isEmpty { _ = systemWrite(master, bytes, bytes.count) }
    }
}

// Functions that call the C functions whose names are also the names of the methods above.
private func systemRead(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int
) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
