// SerialPort: the transport over a real serial port. It uses libserialport.

import BridgeLink
import CBridgeProtocol
import CSerialPort
import POSIX

/// A serial port at `BAUD` 8N1 without flow control (SPEC 1).
///
/// Older versions of libserialport neither lock the port nor preserve DTR when the port is closed.
/// This class locks the port and preserves DTR with every version.
public final class SerialPort: Transport {
    /// The path of the port.
    public let path: String
    /// The signal that ends a `read` immediately; nil if no signal is needed.
    public var eventSignal: EventSignal?
    private var port: OpaquePointer?

    /// Opens `path`, which must be a port that libserialport supports. A symbolic link such as
    /// `/dev/serial/by-id/…` is accepted.
    ///
    /// The system sets DTR when a port is opened, and some boards then reset. For this reason,
    /// HELLO is sent repeatedly (SPEC 3).
    public init(path: String) throws(TransportError) {
        self.path = path
        port = try Self.find(path)
        do {
            try open()
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Returns whether libserialport accepts `path` as a serial port.
    package static func exists(_ path: String) -> Bool {
        guard let port = try? find(path) else { return false }
        sp_free_port(port)
        return true
    }

    /// Waits up to `timeout` microseconds for bytes, and returns up to `count` of them. Returns no
    /// bytes if the timeout elapses or if `eventSignal` is signaled.
    public func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        guard try terminal().waitForInput(timeout: timeout, orFor: eventSignal) else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = try check(
            uninterrupted { sp_nonblocking_read(port, &bytes, count) }, "reading")
        // If a port has been unplugged, reading returns no bytes, but querying the number of
        // waiting bytes fails.
        if result == 0 { try check(sp_input_waiting(port), "reading") }
        return Array(bytes.prefix(result))
    }

    /// Writes as many bytes as fit without waiting, and returns the number of bytes that were
    /// written.
    public func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        try check(uninterrupted { sp_nonblocking_write(port, bytes, bytes.count) }, "writing")
    }

    /// Returns the number of written bytes that the operating system has not sent yet.
    public func unsentCount() throws(TransportError) -> Int {
        try terminal().unsentCount()
    }

    /// Clears DTR for a tenth of a second. A board resets if its reset circuit is connected to DTR.
    public func pulseDTR() throws(TransportError) {
        try check(sp_set_dtr(port, SP_DTR_OFF), "setting DTR")
        hostClock.sleep(for: 100_000)
        try check(sp_set_dtr(port, SP_DTR_ON), "setting DTR")
        _ = sp_flush(port, SP_BUF_INPUT)
    }

    /// Unlocks and closes the port.
    public func close() {
        guard let port else { return }
        (try? terminal())?.release()
        sp_close(port)
        sp_free_port(port)
        self.port = nil
    }

    // MARK: Opening

    private static func find(_ path: String) throws(TransportError) -> OpaquePointer {
        guard let resolved = realPath(of: path) else {
            throw TransportError(code: errno, path: path, operation: "finding")
        }
        var port: OpaquePointer?
        guard sp_get_port_by_name(resolved, &port) == SP_OK, let port else {
            throw .notAPort(path: path)
        }
        return port
    }

    private func open() throws(TransportError) {
        // Opening a port resets some devices, and libserialport's open function changes the
        // settings of the port even if another program is using the port. Therefore, this method
        // first searches for programs that use the port without a lock, and then takes the lock.
        // The port remains open during the whole procedure, so that DTR is set only once.
        if let holder = PortUsers().holder(of: path) { throw .busy(path: path, holder: holder) }
        let hold = try PortHold(path: path)
        defer { hold.close() }
        // Newer versions of libserialport lock the port themselves, so the lock of this program is
        // released. In the meantime, the port remains reserved.
        hold.unlock()
        try check(sp_open(port, SP_MODE_READ_WRITE), "opening")
        let terminal = try terminal()
        try terminal.closeOnExec()
        try terminal.lock()
        try terminal.claim()
        // The baud rate is set last, because macOS's tcsetattr rejects the baud rate of a board,
        // but libserialport does not.
        try terminal.keepLinesOnClose()
        try check(sp_set_baudrate(port, BRIDGE_BAUD), orUnsupported: "\(BRIDGE_BAUD) baud")
        try check(sp_set_bits(port, 8), orUnsupported: "8 data bits")
        try check(sp_set_parity(port, SP_PARITY_NONE), orUnsupported: "no parity")
        try check(sp_set_stopbits(port, 1), orUnsupported: "1 stop bit")
        try check(sp_set_flowcontrol(port, SP_FLOWCONTROL_NONE), orUnsupported: "no flow control")
        // Native USB boards send only while DTR is set. libserialport may have cleared DTR above.
        _ = sp_set_dtr(port, SP_DTR_ON)
        _ = sp_flush(port, SP_BUF_INPUT)
    }

    private func terminal() throws(TransportError) -> TerminalDescriptor {
        var descriptor: Int32 = -1
        try check(sp_get_port_handle(port, &descriptor), "using")
        return TerminalDescriptor(descriptor: descriptor, path: path)
    }

    // MARK: Errors

    /// Repeats a call if it was interrupted by a signal, which libserialport reports as a failure.
    private func uninterrupted(_ call: () -> sp_return) -> sp_return {
        while true {
            let result = call()
            guard result == SP_ERR_FAIL, sp_last_error_code() == EINTR else { return result }
        }
    }

    @discardableResult
    private func check(_ result: sp_return, _ operation: String) throws(TransportError) -> Int {
        if result.rawValue >= 0 { return Int(result.rawValue) }
        // libserialport returns SP_ERR_ARG for a port that is not open.
        let code =
            result == SP_ERR_FAIL ? sp_last_error_code() : result == SP_ERR_ARG ? EBADF : EINVAL
        throw TransportError(code: code, path: path, operation: operation)
    }

    private func check(_ result: sp_return, orUnsupported what: String) throws(TransportError) {
        if result == SP_OK { return }
        let code = result == SP_ERR_FAIL ? sp_last_error_code() : EINVAL
        if [ENXIO, ENODEV, EIO].contains(code) { throw .unplugged(path: path) }
        throw .unsupported(path: path, what: what)
    }
}
