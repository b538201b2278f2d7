// PortList: the serial ports of this computer, without opening any: opening resets some boards.

import CSerialPort

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

        /// For example "2341:0043".
        public var id: String { hexadecimal(vendor) + ":" + hexadecimal(product) }
    }

    /// Whether it could be opened now, as far as that can be told without opening it.
    public enum Access: Hashable, Sendable {
        case free
        case noPermission
        /// Locked by this program; programs that take no lock are not seen.
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

    /// Whether it may be a board of ours, so that automatic choice asks it: a known board or
    /// adapter. Its answer to HELLO decides.
    public var isCandidate: Bool { known?.role == .board || known?.role == .adapter }
}

/// Lists serial ports.
public enum PortList {
    /// All serial ports, by path. Throws `TransportError.failed` if the system does not list any.
    public static func all() throws(TransportError) -> [PortDescription] {
        var list: UnsafeMutablePointer<OpaquePointer?>?
        guard sp_list_ports(&list) == SP_OK, let list else {
            throw .failed(path: "/dev", operation: "listing ports", code: sp_last_error_code())
        }
        defer { sp_free_port_list(list) }
        return sequence(first: list) { $0 + 1 }
            .prefix { $0.pointee != nil }
            .compactMap { describe($0.pointee!) }
            .sorted { $0.path < $1.path }
    }

    private static func describe(_ port: OpaquePointer) -> PortDescription? {
        guard let path = text(sp_get_port_name(port)) else { return nil }
        let usb = usb(of: port)
        return PortDescription(
            path: path, description: text(sp_get_port_description(port)) ?? path, usb: usb,
            known: usb.flatMap { KnownDevice(vendor: $0.vendor, product: $0.product) },
            access: access(to: path))
    }

    private static func usb(of port: OpaquePointer) -> PortDescription.USB? {
        var vendor: Int32 = 0
        var product: Int32 = 0
        guard sp_get_port_usb_vid_pid(port, &vendor, &product) == SP_OK else { return nil }
        return PortDescription.USB(
            vendor: UInt16(truncatingIfNeeded: vendor),
            product: UInt16(truncatingIfNeeded: product),
            serialNumber: text(sp_get_port_usb_serial(port)))
    }

    static func access(to path: String) -> PortDescription.Access {
        if systemAccess(path, R_OK | W_OK) != 0, errno == EACCES { return .noPermission }
        return PortLock.holder(of: path).map { .locked(by: $0) } ?? .free
    }

    private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}

private func systemAccess(_ path: String, _ mode: Int32) -> Int32 { access(path, mode) }

private func hexadecimal(_ value: UInt16) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
}
