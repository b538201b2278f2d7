// The C library of the operating system, under one name for modules that may use it.

#if canImport(Darwin)
    @_exported import Darwin
#elseif canImport(Musl)
    @_exported import Musl
#else
    @_exported import Glibc
#endif

/// Returns the system's text for an `errno`.
package func errorText(_ code: Int32) -> String {
    String(cString: strerror(code))
}

/// Returns the path that all other paths to the same file lead to, or nil, with `errno`, if there
/// is none.
package func realPath(of path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}
