// openPort: opens a path with the transport that suits it.

import POSIX

/// Opens the port at `path`: a serial port through libserialport, a pseudo-terminal and the
/// local socket of a simulated board directly, and `tcp://HOST:PORT` by a connection to a device
/// server.
///
/// Throws one error that gives the reason why neither works: nothing is there, it is not a port, no
/// permission, or busy.
public func openPort(_ path: String) throws(TransportError) -> any Transport {
    guard !NetworkAddress.isMeant(by: path) else { return try NetworkPort(path: path) }
    var information = stat()
    guard stat(path, &information) == 0 else {
        throw TransportError(code: errno, path: path, operation: "finding")
    }
    if information.st_mode & S_IFMT == S_IFSOCK { return try LocalPort(path: path) }
    guard information.st_mode & S_IFMT == S_IFCHR else { throw .notAPort(path: path) }
    return SerialPort.exists(path)
        ? try SerialPort(path: path) : try PseudoTerminal(path: path)
}
