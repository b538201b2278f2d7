// PortDescription: the system's description of a serial port.

import POSIX

/// The system's description of a serial port.
public struct PortDescription: Hashable, Sendable {
    /// The USB descriptors of a device.
    public struct USB: Hashable, Sendable {
        /// The USB vendor id.
        public var vendor: UInt16
        /// The USB product id.
        public var product: UInt16
        /// The serial number; nil if the device does not provide one.
        public var serialNumber: String?
        /// The name of the manufacturer; nil if the device does not provide one.
        public var manufacturer: String?
        /// The number of the USB interface to which the port belongs. A device may have several
        /// ports.
        public var interface: String?

        /// The vendor and product ids in hexadecimal, for example "2341:0043".
        public var id: String { vendor.hexadecimal(4) + ":" + product.hexadecimal(4) }
    }

    /// The current access of this program to the port, determined without opening the port.
    public enum Access: Hashable, Sendable {
        /// No other program is known to use the port.
        case free
        /// The user has no permission to open the port.
        case noPermission
        /// Another program uses the port. A program of another user is detected only if that
        /// program has locked the port.
        case locked(by: String)
    }

    /// The path of the port, for example "/dev/ttyACM0".
    public var path: String
    /// The system's description of the port, for example "Arduino Uno".
    public var description: String
    /// The description of the USB device; nil if the port is not on USB.
    public var usb: USB?
    /// The device that the USB id identifies; nil if the id is unknown.
    public var known: KnownDevice?
    /// The current access of this program to the port.
    public var access: Access
    /// The location of the port in the computer: the bus and the socket. The location remains the
    /// same as long as the device is plugged into the same socket.
    public var location: String

    /// True if a board may be connected to the port: the port has the USB id of a board, or the USB
    /// id of an adapter, to which any device may be connected.
    public var isCandidate: Bool { isBoard || known?.role == .adapter }

    /// True if the port has the USB id of a board.
    public var isBoard: Bool { known?.role == .board }

    /// The minimum length of a serial number that counts as unique. Some manufacturers give all
    /// their adapters the same short number, for example 0001.
    private static let serialNumberMin = 5

    /// The text that distinguishes the port from other ports, independently of its path. The text
    /// consists of the id and the serial number of the USB device. If the device has no unique
    /// serial number, the location is included as well. The text is a single line.
    public var identity: String {
        guard let usb else { return "port at \(location)" }
        let serialNumber = usb.serialNumber ?? ""
        let parts = [
            "usb \(usb.id)", usb.interface.map { "interface \($0)" },
            serialNumber.isEmpty ? nil : "serial \(serialNumber)",
            serialNumber.count < Self.serialNumberMin ? "at \(location)" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}
