// PortList: the serial ports of this computer, without opening any: opening resets some boards.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One serial port as the system describes it.
public struct PortDescription: Hashable, Sendable {
    /// What a USB device says of itself.
    public struct USB: Hashable, Sendable {
        public var vendor: UInt16
        public var product: UInt16
        public var serialNumber: String?
        public var manufacturer: String?
        /// The number of the interface that the port belongs to: devices may have several ports.
        public var interface: String?

        /// For example "2341:0043".
        public var id: String { hexadecimal(vendor) + ":" + hexadecimal(product) }
    }

    /// Whether it could be opened now, as far as that can be told without opening it.
    public enum Access: Hashable, Sendable {
        /// No other program is seen to use it.
        case free
        case noPermission
        /// This other program uses it. Not all are seen: none of another user that takes no lock.
        case locked(by: String)
    }

    /// For example "/dev/ttyACM0".
    public var path: String
    /// The system's description, for example "Arduino Uno".
    public var description: String
    public var usb: USB?
    /// What the USB id stands for, if it is known.
    public var known: KnownDevice?
    public var access: Access
    /// Where in the computer it is: the bus and the socket. It stays the same at the same socket.
    public var place: String

    /// Whether it may be a board of ours: one with a USB id of its own, or something behind an
    /// adapter, which may be anything.
    public var isCandidate: Bool { isBoard || known?.role == .adapter }

    /// Whether it has a USB id of a board.
    public var isBoard: Bool { known?.role == .board }

    /// The fewest characters of a serial number that is taken for the device's own. Makers of adapters
    /// give all of them a short one, for example 0001.
    private static let serialNumberMin = 5

    /// What tells the port from others, whatever its path is: the id and the serial number of its USB
    /// device, and the socket if that has none of its own. One line.
    public var identity: String {
        guard let usb else { return "port at \(place)" }
        let serialNumber = usb.serialNumber ?? ""
        let parts = [
            "usb \(usb.id)", usb.interface.map { "interface \($0)" },
            serialNumber.isEmpty ? nil : "serial \(serialNumber)",
            serialNumber.count < Self.serialNumberMin ? "at \(place)" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}

/// Lists serial ports.
public enum PortList {
    /// All serial ports, by path. On Linux, nothing is opened to list them; on other systems
    /// libserialport lists them.
    ///
    /// Throws `TransportError.failed` if the system does not list any.
    public static func all() throws(TransportError) -> [PortDescription] {
        try all(in: PortSystem())
    }

    package static func all(in system: PortSystem) throws(TransportError) -> [PortDescription] {
        let users = PortUsers(in: system)
        return try paths(in: system)
            .compactMap { describe($0, in: system) { access(to: $0, users) } }
            .sorted { $0.path < $1.path }
    }

    /// The port that `path` leads to; nil if it leads to none that is listed. Who uses it is not
    /// looked at.
    package static func port(at path: String, in system: PortSystem = PortSystem())
        -> PortDescription?
    {
        let path = realPath(of: path) ?? path
        return (try? paths(in: system))?.first { $0 == path || realPath(of: $0) == path }
            .flatMap { describe($0, in: system) { access(to: $0, nil) } }
    }

    /// Whether `path` could be opened now, as far as that can be told without opening it.
    package static func access(to path: String, in system: PortSystem = PortSystem())
        -> PortDescription.Access
    {
        access(to: path, PortUsers(in: system))
    }

    /// Whether there is the file of a device at `path`.
    package static func isDevice(_ path: String) -> Bool {
        SystemFile.status(of: path).map { $0.st_mode & S_IFMT == S_IFCHR } ?? false
    }

    private static func access(to path: String, _ users: PortUsers?) -> PortDescription.Access {
        if systemAccess(path, R_OK | W_OK) != 0, errno == EACCES { return .noPermission }
        return users?.otherHolder(of: path).map { .locked(by: $0) } ?? .free
    }
}

private func systemAccess(_ path: String, _ mode: Int32) -> Int32 { access(path, mode) }

private func hexadecimal(_ value: UInt16) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
}
