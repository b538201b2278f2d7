// openPort: opens a path with the matching transport.

import POSIX

/// Opens the port at `path`. A serial port is opened through libserialport, a pseudo-terminal or
/// the local socket of a simulated board directly, and `tcp://HOST:PORT` by a connection to a
/// device server.
///
/// Throws a single error with the reason: the path does not exist, it is not a port, the permission
/// is missing, or the port is in use.
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
