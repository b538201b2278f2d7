// BoardTerminal: the board's end of a pseudo-terminal.

import POSIX

/// A pseudo-terminal operation that failed, with its error code.
struct BoardTerminalError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32

    var description: String { "\(operation) failed: \(String(cString: strerror(code)))" }
}

/// A new pseudo-terminal in raw mode. Hosts open its other end under `path`.
final class BoardTerminal {
    let path: String
    private var master: Int32 = -1
    /// The hosts' end, kept open so that the terminal outlives its hosts; -1 if it is not kept
    /// open.
    private var slave: Int32 = -1

    private static let readMax = 4096

    /// - Parameter staysOpen: whether the terminal accepts bytes while no host has it open. If
    ///   false, ``isOpen`` shows whether a host has opened it.
    init(staysOpen: Bool) throws(BoardTerminalError) {
        // The terminal is raw before the first host opens it: nothing is echoed or changed.
        var settings = termios()
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CREAD)
        guard openpty(&master, &slave, nil, &settings, nil) == 0, let name = ttyname(slave) else {
            throw BoardTerminalError(operation: "making a pseudo-terminal", code: errno)
        }
        path = String(cString: name)
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

    /// Whether a host has the other end open; always true if the terminal keeps that end open
    /// itself.
    var isOpen: Bool { events(timeout: 0) & Int16(POLLHUP) == 0 }

    /// Waits for bytes from a host, or until the time has passed.
    func wait(milliseconds: Int32) {
        // A terminal that nobody has open is always "ready", so only the time counts.
        if events(timeout: milliseconds) & Int16(POLLHUP) != 0 { _ = poll(nil, 0, milliseconds) }
    }

    private func events(timeout: Int32) -> Int16 {
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, timeout) > 0 ? request.revents : 0
    }

    /// Returns the bytes that hosts have written; empty if there are none.
    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.readMax)
        let count = systemRead(master, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Sends bytes. As on a real line, bytes that nobody reads are lost.
    func write(_ bytes: [UInt8]) {
        if !bytes.isEmpty { _ = systemWrite(master, bytes, bytes.count) }
    }
}

// C functions whose names collide with those of the methods above.
private func systemRead(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int
) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
