// PortHold: prevents other programs from using a port while this program allows one particular
// program to use it.

import BridgeLink
import POSIX

/// A port that is open and locked, but not claimed exclusively. Programs that try to lock the port
/// fail; programs that do not lock ports, such as flashing tools, can open the port.
public final class PortHold {
    private let terminal: TerminalDescriptor

    /// The time for which `touch` holds the port open, in microseconds.
    private static let touchTime: Microseconds = 100_000

    /// Opens and locks `path`. Opening the port resets a board that resets when its port is opened.
    public init(path: String) throws(TransportError) {
        let descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransportError(code: errno, path: path, operation: "opening")
        }
        terminal = TerminalDescriptor(descriptor: descriptor, path: path)
        do throws(TransportError) {
            guard isatty(descriptor) == 1 else { throw .notAPort(path: path) }
            // The port is reserved first, so that no other program can take the lock while the lock
            // is being transferred between two descriptors.
            try terminal.reserve()
            try terminal.lock()
        } catch {
            close()
            throw error
        }
    }

    /// Unlocks and closes the port.
    public func release() {
        unlock()
        close()
    }

    /// Sets the port to 1,200 baud and closes it, so that DTR is cleared. Most boards with native
    /// USB then start their boot loader, and the port disappears.
    ///
    /// - Throws: `TransportError` if the port cannot be opened or is in use.
    package static func touch(_ path: String) throws(TransportError) {
        let hold = try PortHold(path: path)
        defer { hold.release() }
        do throws(TransportError) {
            try hold.terminal.change { settings in
                cfsetispeed(&settings, speed_t(B1200))
                cfsetospeed(&settings, speed_t(B1200))
                settings.c_cflag |= tcflag_t(HUPCL)
            }
            // A board that waits for DTR to be cleared must detect this rate first.
            hostClock.sleep(for: Self.touchTime)
        } catch .unplugged {
            // Some boards disconnect as soon as they receive the rate, so this error is ignored.
        }
    }

    func unlock() { terminal.unlock() }

    func close() {
        terminal.endReservation()
        systemClose(terminal.descriptor)
    }
}
