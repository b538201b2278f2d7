// POSIX: makes the C library of every operating system available under the same name.

#if canImport(Darwin)
    @_exported import Darwin
#elseif canImport(Musl)
    @_exported import Musl
#else
    @_exported import Glibc
#endif

/// Returns the system's description of an `errno` value.
package func errorText(_ code: Int32) -> String {
    String(cString: strerror(code))
}

/// Returns the canonical path of a file. If the path cannot be resolved, sets `errno`
/// and returns nil.
package func realPath(of path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// Returns the path of an open terminal. If the descriptor is not a terminal, returns nil and sets
/// `errno`. Unlike `ttyname`, several threads may call this function at the same time.
package func terminalPath(of descriptor: Int32) -> String? {
    var path = [CChar](repeating: 0, count: 1_024)
    errno = ttyname_r(descriptor, &path, path.count)
    return errno == 0 ? path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } : nil
}
