// openPort: opens a path with the transport for its kind of port.

import POSIX

/// Opens the port at `path`. Serial ports are opened through libserialport. The pseudo-terminal or
/// local socket of a simulated board is opened directly. For `tcp://HOST:PORT`, a connection to a
/// device server is opened.
///
/// Throws an error that states the reason: the path does not exist, the path is not a port, the
/// user has no permission, or the port is in use.
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
