// TerminalDescriptor: the system functions for an open descriptor that all kinds of ports need.

import BridgeLink
import CSerialPort
import POSIX

/// An open terminal. This structure does not own the descriptor.
struct TerminalDescriptor {
    let descriptor: Int32
    let path: String

    /// Locks the terminal's file, so that no other program can lock it, not even a program that
    /// runs as root. The system releases the lock when the process ends for any reason.
    func lock() throws(TransportError) {
        guard isatty(descriptor) == 1 else { throw .notAPort(path: path) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
        if errno == EWOULDBLOCK { throw .busy(path) }
        throw failure(of: "locking")
    }

    /// Makes every later attempt to open the terminal fail as busy, except by root (TIOCEXCL). The
    /// claim lasts until the last descriptor of the terminal is closed.
    func claim() throws(TransportError) {
        guard terminal_claim(descriptor) == 0 else { throw failure(of: "claiming") }
    }

    /// Unlocks the terminal, and allows other programs to open it again.
    func release() {
        _ = terminal_release(descriptor)
        unlock()
    }

    func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Prevents other programs of this library from using the port until the descriptor is closed,
    /// even while the lock is transferred from one descriptor to another. Linux only.
    func reserve() throws(TransportError) {
        if terminal_reserve(descriptor, true) == 0 { return }
        if errno == EAGAIN || errno == EACCES { throw .busy(path) }
        throw failure(of: "locking")
    }

    /// Ends the reservation immediately, even if a child process that is being started still has
    /// the descriptor.
    func endReservation() { _ = terminal_reserve(descriptor, false) }

    /// Prevents child processes from inheriting the descriptor. A child process that inherited the
    /// descriptor would keep the port and its lock after this program has ended.
    func closeOnExec() throws(TransportError) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw failure(of: "setting close-on-exec")
        }
    }

    /// Changes the terminal's settings.
    func change(_ edit: (inout termios) -> Void) throws(TransportError) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { throw failure(of: "reading settings") }
        edit(&settings)
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
            throw failure(of: "changing settings")
        }
    }

    /// Ensures that DTR remains set when the port is closed, so that a board does not reset the
    /// next time the port is opened. The baud rate must be set after this call.
    func keepLinesOnClose() throws(TransportError) {
        try change { settings in
            settings.c_cflag &= ~tcflag_t(HUPCL)
            // If the baud rate of a board has already been set, this call may reject that rate, so
            // a standard rate replaces it.
            cfsetspeed(&settings, speed_t(B9600))
        }
    }

    /// Returns the number of bytes that have been written but not sent yet.
    func unsentCount() throws(TransportError) -> Int {
        var count: Int32 = 0
        guard terminal_unsent(descriptor, &count) == 0 else {
            throw failure(of: "querying the output buffer")
        }
        return Int(count)
    }

    /// Waits up to `timeout` microseconds for input or for a signal. Returns true if input is
    /// available or if the input has ended.
    func waitForInput(timeout: Microseconds, orFor eventSignal: EventSignal?) throws(TransportError)
        -> Bool
    {
        var requests = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let eventSignal { requests.append(eventSignal.request) }
        let result = hostClock.poll(&requests, for: timeout)
        if result < 0, errno != EINTR { throw failure(of: "waiting") }
        guard result > 0 else { return false }
        if let eventSignal, requests[1].revents != 0 { eventSignal.drain() }
        return requests[0].revents != 0
    }

    func failure(of operation: String) -> TransportError {
        TransportError(code: errno, path: path, operation: operation)
    }
}

extension TransportError {
    /// Returns the error for a port that another program uses. The error contains the name of that
    /// program.
    static func busy(_ path: String) -> TransportError {
        .busy(path: path, holder: PortUsers().holder(of: path))
    }

    /// Creates the error for an `errno` value that an operation on a port has returned.
    init(code: Int32, path: String, operation: String) {
        switch code {
        case ENOENT: self = .notFound(path: path)
        case EACCES, EPERM: self = .noPermission(path: path)
        case EBUSY: self = .busy(path)
        case ENXIO, ENODEV, EIO: self = .unplugged(path: path)
        case ENOTTY, EISDIR: self = .notAPort(path: path)
        default: self = .failed(path: path, operation: operation, code: code)
        }
    }
}

// Functions that call C functions whose names are also names of methods of the ports.

func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

package func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
