// PortList: lists the serial ports of this computer without opening them, because some boards reset
// when their port is opened.

import POSIX

/// The list of serial ports.
public enum PortList {
    /// Returns all serial ports, sorted by path. On Linux, no port is opened. On other systems,
    /// libserialport lists the ports.
    ///
    /// Throws `TransportError.failed` if the system cannot list ports.
    public static func all() throws(TransportError) -> [PortDescription] {
        try all(in: PortSystem())
    }

    /// - Parameter openFiles: true if a program that has opened a port without locking it also
    ///   counts as a user of the port. Finding such programs takes time.
    package static func all(
        in system: PortSystem, openFiles: Bool = true
    ) throws(TransportError) -> [PortDescription] {
        // Examining the processes takes time, so they are examined only if there is a port.
        lazy var users = PortUsers(in: system, openFiles: openFiles)
        return try paths(in: system)
            .compactMap { describe($0, in: system) { access(to: $0, users) } }
            .sorted { $0.path < $1.path }
    }

    /// Returns the paths of the ports with the given identity, without determining which programs
    /// use the ports.
    package static func paths(of identity: String, in system: PortSystem) -> [String] {
        ((try? paths(in: system)) ?? []).filter {
            describe($0, in: system) { access(to: $0, nil) }?.identity == identity
        }
    }

    /// Returns the port to which `path` leads; nil if the port is not in the list. This method does
    /// not determine which programs use the port.
    package static func port(at path: String, in system: PortSystem = PortSystem())
        -> PortDescription?
    {
        let path = realPath(of: path) ?? path
        return (try? paths(in: system))?.first { $0 == path || realPath(of: $0) == path }
            .flatMap { describe($0, in: system) { access(to: $0, nil) } }
    }

    /// Returns the current access of this program to `path`, as far as this can be determined
    /// without opening the port.
    ///
    /// - Parameter openFiles: true if a program that has opened the port without locking it also
    ///   counts as a user of the port. Finding such programs takes time.
    package static func access(
        to path: String, in system: PortSystem = PortSystem(), openFiles: Bool = true
    ) -> PortDescription.Access {
        access(to: path, PortUsers(in: system, openFiles: openFiles))
    }

    /// Returns whether `path` is a device file or the local socket of a simulated board.
    package static func isDevice(_ path: String) -> Bool {
        SystemFile.status(of: path).map { [S_IFCHR, S_IFSOCK].contains($0.st_mode & S_IFMT) }
            ?? false
    }

    /// Returns whether `path` is a terminal or a local socket. Serial ports and the
    /// pseudo-terminals of virtual boards are terminals. The check uses only the type and the name
    /// of the file, so that no file needs to be opened.
    package static func isTerminal(_ path: String) -> Bool {
        let name = realPath(of: path) ?? path
        guard let status = SystemFile.status(of: name) else { return false }
        if status.st_mode & S_IFMT == S_IFSOCK { return true }
        return status.st_mode & S_IFMT == S_IFCHR
            && ["/dev/tty", "/dev/pts/", "/dev/cu."].contains { name.hasPrefix($0) }
    }

    private static func access(to path: String, _ users: PortUsers?) -> PortDescription.Access {
        if systemAccess(path, R_OK | W_OK) != 0, errno == EACCES { return .noPermission }
        return users?.holder(of: path, besides: getpid()).map { .locked(by: $0) } ?? .free
    }
}

private func systemAccess(_ path: String, _ mode: Int32) -> Int32 { access(path, mode) }
