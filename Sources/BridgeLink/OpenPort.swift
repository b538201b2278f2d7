// openPort: from a path to the transport that can open it.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Opens the port at `path`: a serial port through libserialport, a pseudo-terminal by itself.
///
/// Throws one error that says why neither works: nothing there, not a port, no permission, busy.
public func openPort(_ path: String) throws(TransportError) -> any Transport {
    var information = stat()
    guard stat(path, &information) == 0 else {
        throw TransportError(code: errno, path: path, operation: "finding")
    }
    guard information.st_mode & S_IFMT == S_IFCHR else { throw .notAPort(path: path) }
    return SerialPort.exists(path)
        ? try SerialPort(path: path) : try PseudoTerminal(path: path)
}

/// The path that all others to the same file lead to; nil, with `errno`, if there is none.
package func realPath(of path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}
