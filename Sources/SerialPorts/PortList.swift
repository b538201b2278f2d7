// PortList: the serial ports of this computer, listed without opening any, because opening resets
// some boards.

import POSIX

/// Lists serial ports.
public enum PortList {
    /// Returns all serial ports, sorted by path. On Linux, nothing is opened to list them; on other
    /// systems, libserialport lists them.
    ///
    /// Throws `TransportError.failed` if the system does not list any.
    public static func all() throws(TransportError) -> [PortDescription] {
        try all(in: PortSystem())
    }

    /// - Parameter openFiles: whether programs that have a port open count as its users without a lock,
    ///   too. To find them takes time.
    package static func all(
        in system: PortSystem, openFiles: Bool = true
    ) throws(TransportError) -> [PortDescription] {
        // Looking at all processes takes time, which is not spent where there is no port.
        lazy var users = PortUsers(in: system, openFiles: openFiles)
        return try paths(in: system)
            .compactMap { describe($0, in: system) { access(to: $0, users) } }
            .sorted { $0.path < $1.path }
    }

    /// Returns the paths of the ports with an identity. Programs that use them are not looked for.
    package static func paths(of identity: String, in system: PortSystem) -> [String] {
        ((try? paths(in: system)) ?? []).filter {
            describe($0, in: system) { access(to: $0, nil) }?.identity == identity
        }
    }

    /// Returns the port that `path` leads to, or nil if that is not a listed one. Programs that use
    /// the port are not looked for.
    package static func port(at path: String, in system: PortSystem = PortSystem())
        -> PortDescription?
    {
        let path = realPath(of: path) ?? path
        return (try? paths(in: system))?.first { $0 == path || realPath(of: $0) == path }
            .flatMap { describe($0, in: system) { access(to: $0, nil) } }
    }

    /// Returns the access that this program has to `path` at present, as far as that can be
    /// determined without opening it.
    ///
    /// - Parameter openFiles: whether programs that have the port open count as its users without a lock,
    ///   too. To find them takes time.
    package static func access(
        to path: String, in system: PortSystem = PortSystem(), openFiles: Bool = true
    ) -> PortDescription.Access {
        access(to: path, PortUsers(in: system, openFiles: openFiles))
    }

    /// Returns whether there is a device file, or the local socket of a simulated board, at `path`.
    package static func isDevice(_ path: String) -> Bool {
        SystemFile.status(of: path).map { [S_IFCHR, S_IFSOCK].contains($0.st_mode & S_IFMT) }
            ?? false
    }

    /// Returns whether there is a terminal at `path`, which serial ports and the pseudo-terminals of
    /// virtual boards are, or a local socket. Its name tells, so that it is not opened.
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
