// BoardTerminal: the board's end of a pseudo-terminal.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Why there is no terminal.
struct BoardTerminalError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32

    var description: String { "\(operation) failed: \(String(cString: strerror(code)))" }
}

/// A new pseudo-terminal, raw, whose other end hosts open under `path`.
final class BoardTerminal {
    let path: String
    private var master: Int32 = -1
    /// The hosts' end, kept open so that the terminal outlives its hosts; -1 if it is not.
    private var slave: Int32 = -1

    private static let readMax = 4096

    /// - Parameter staysOpen: whether the terminal takes bytes while no host has it open. If not, it
    ///   can be told whether one has.
    init(staysOpen: Bool) throws(BoardTerminalError) {
        // Raw before the first host comes: nothing is echoed or changed.
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

    /// Whether a host has the other end open, unless it is kept open here.
    var isOpen: Bool { events(timeout: 0) & Int16(POLLHUP) == 0 }

    /// Waits for bytes from a host or for the time to pass.
    func wait(milliseconds: Int32) {
        // A terminal that nobody has open is always "ready": then only time counts.
        if events(timeout: milliseconds) & Int16(POLLHUP) != 0 { _ = poll(nil, 0, milliseconds) }
    }

    private func events(timeout: Int32) -> Int16 {
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, timeout) > 0 ? request.revents : 0
    }

    /// What hosts have written; empty if nothing.
    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.readMax)
        let count = systemRead(master, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Sends bytes; as on a real line, those that nobody takes are lost.
    func write(_ bytes: [UInt8]) {
        if !bytes.isEmpty { _ = systemWrite(master, bytes, bytes.count) }
    }
}

// The C functions whose names the methods above have too.
private func systemRead(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int
) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
