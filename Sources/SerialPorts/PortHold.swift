// PortHold: keeps other programs away from a port that this program lets another one use.

import BridgeLink
import POSIX

/// A port that is open and locked, but not claimed. Programs that take the lock are refused;
/// programs that do not, such as flashing tools, can open the port.
public final class PortHold {
    private let terminal: TerminalDescriptor

    /// The time for which a touch holds the port, in microseconds.
    private static let touchTime: Microseconds = 100_000

    /// Opens and locks `path`. A board that resets on open resets.
    public init(path: String) throws(TransportError) {
        let descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransportError(code: errno, path: path, operation: "opening")
        }
        terminal = TerminalDescriptor(descriptor: descriptor, path: path)
        do throws(TransportError) {
            guard isatty(descriptor) == 1 else { throw .notAPort(path: path) }
            // The port is reserved first, so that a program that comes while another one hands its
            // lock on does not take that lock.
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

    /// Sets 1,200 baud and closes the port, so that DTR falls, which leads most boards with a USB
    /// port of their own into their boot loader. The port is gone afterwards.
    ///
    /// - Throws: `TransportError` if the port cannot be opened, or is in use.
    package static func touch(_ path: String) throws(TransportError) {
        let hold = try PortHold(path: path)
        defer { hold.release() }
        do throws(TransportError) {
            try hold.terminal.change { settings in
                cfsetispeed(&settings, speed_t(B1200))
                cfsetospeed(&settings, speed_t(B1200))
                settings.c_cflag |= tcflag_t(HUPCL)
            }
            // Boards that wait for DTR to fall must have seen it at this rate.
            hostClock.sleep(for: Self.touchTime)
        } catch .unplugged {
            // Some boards are gone as soon as the rate arrives.
        }
    }

    func unlock() { terminal.unlock() }

    func close() {
        terminal.endReservation()
        systemClose(terminal.descriptor)
    }
}
