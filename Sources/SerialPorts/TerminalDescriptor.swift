// TerminalDescriptor: the functions of the operating system that every kind of port needs, on an
// open descriptor.

import BridgeLink
import CSerialPort
import POSIX

/// An open terminal, by its descriptor, which this structure does not own.
struct TerminalDescriptor {
    let descriptor: Int32
    let path: String

    /// Locks the terminal's file against programs that also lock it, including those of root. The
    /// system releases the lock when the process ends, however it ends.
    func lock() throws(TransportError) {
        guard isatty(descriptor) == 1 else { throw .notAPort(path: path) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
        if errno == EWOULDBLOCK { throw .busy(path) }
        throw failure(of: "locking")
    }

    /// Makes later opens by any program fail as busy (TIOCEXCL), except those by root. The claim
    /// lasts until the last descriptor of the terminal is closed.
    func claim() throws(TransportError) {
        guard terminal_claim(descriptor) == 0 else { throw failure(of: "claiming") }
    }

    /// Lets others open the terminal again.
    func release() {
        _ = terminal_release(descriptor)
        unlock()
    }

    func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Keeps other programs of this library from the port until the descriptor is closed, even
    /// while the lock is handed from one descriptor to another. Linux only.
    func reserve() throws(TransportError) {
        if terminal_reserve(descriptor, true) == 0 { return }
        if errno == EAGAIN || errno == EACCES { throw .busy(path) }
        throw failure(of: "locking")
    }

    /// Ends that at once, also where a program that is being started has the descriptor still.
    func endReservation() { _ = terminal_reserve(descriptor, false) }

    /// Keeps the port from programs that this one starts, which would hold it and its lock after
    /// this one has ended.
    func closeOnExec() throws(TransportError) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw failure(of: "keeping") }
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

    /// Leaves DTR as it is when the port is closed, so that the next open does not reset a board. The
    /// rate has to be set afterwards.
    func keepLinesOnClose() throws(TransportError) {
        try change { settings in
            settings.c_cflag &= ~tcflag_t(HUPCL)
            // A rate of a board's that was set before is one that this call may refuse.
            cfsetspeed(&settings, speed_t(B9600))
        }
    }

    /// Returns the number of bytes that have been written but not sent yet.
    func unsentCount() throws(TransportError) -> Int {
        var count: Int32 = 0
        guard terminal_unsent(descriptor, &count) == 0 else { throw failure(of: "asking") }
        return Int(count)
    }

    /// Waits up to `timeout` microseconds for input, or for a signal. Returns whether there is
    /// input or the end of it.
    func waitForInput(timeout: Microseconds, orFor wakeUp: WakeUp?) throws(TransportError) -> Bool {
        var requests = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let wakeUp { requests.append(wakeUp.request) }
        let result = hostClock.poll(&requests, for: timeout)
        if result < 0, errno != EINTR { throw failure(of: "waiting") }
        guard result > 0 else { return false }
        if let wakeUp, requests[1].revents != 0 { wakeUp.take() }
        return requests[0].revents != 0
    }

    func failure(of operation: String) -> TransportError {
        TransportError(code: errno, path: path, operation: operation)
    }
}

extension TransportError {
    /// Returns the error for a port that another program uses, with the name of that program.
    static func busy(_ path: String) -> TransportError {
        .busy(path: path, holder: PortUsers().holder(of: path))
    }

    /// Creates the error that `errno` stands for when it concerns a port.
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

// The C functions whose names are also those of methods of the ports.

func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

package func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
