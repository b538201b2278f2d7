// PortTree: the files that describe serial ports and their users in the system folders.

import Foundation
import SerialPorts

/// A folder tree that resembles the system folders of Linux, in which a test can add and remove
/// ports.
public final class PortTree {
    public let folder = Folder()
    package let system: PortSystem

    /// The properties that a USB device reports.
    public struct USB: Sendable {
        public var vendor: String
        public var product: String
        public var serialNumber: String

        public init(_ vendor: String, _ product: String, serialNumber: String = "") {
            (self.vendor, self.product) = (vendor, product)
            self.serialNumber = serialNumber
        }

        public static let uno = USB("2341", "0043", serialNumber: "75830303934351B0C1A1")
        public static let adapter = USB("1a86", "7523")
    }

    public init() throws {
        system = PortSystem(root: folder.url.path)
        for path in ["sys/class/tty", "dev", "proc", "var/lock"] { try makeFolder(path) }
    }

    /// Returns the path of a port's device file.
    public func path(_ name: String) -> String { folder.path("dev/\(name)") }

    /// Adds a USB device in the same order as the kernel when a device is plugged in: first the
    /// description, then the device file.
    ///
    /// - Parameter target: the path that the port's device file links to.
    public func plugIn(
        _ name: String, _ usb: USB, socket: String = "1-1", leadingTo target: String
    ) throws {
        let device = "sys/devices/pci0000:00/usb1/\(socket)"
        let interface = "\(device)/\(socket):1.0"
        try makeFolder("\(interface)/tty/\(name)")
        let facts = [
            "idVendor": usb.vendor, "idProduct": usb.product, "serial": usb.serialNumber,
            "manufacturer": "Maker", "product": "Thing",
        ]
        for (fact, text) in facts where !text.isEmpty { _ = try write("\(device)/\(fact)", text) }
        _ = try write("\(interface)/bInterfaceNumber", "00")
        try link("\(interface)/tty/\(name)/device", to: "../../../\(socket):1.0")
        try link(
            "sys/class/tty/\(name)",
            to: "../../devices/pci0000:00/usb1/\(socket)/\(socket):1.0/tty/\(name)")
        try link("dev/\(name)", to: target)
    }

    /// Adds a terminal that is not a USB device. A terminal without a type is not a serial port.
    public func show(_ name: String, type: String?) throws {
        let device = "sys/devices/platform/\(name)"
        try makeFolder("sys/class/tty/\(name)")
        try makeFolder(device)
        if let type {
            _ = try write("sys/class/tty/\(name)/type", type)
            try link("sys/class/tty/\(name)/device", to: "../../../devices/platform/\(name)")
        }
        _ = try folder.write("dev/\(name)", "")
    }

    /// Removes a device in the same order as the kernel when a device is unplugged: the device file
    /// first.
    public func unplug(_ name: String) throws {
        for path in ["dev/\(name)", "sys/class/tty/\(name)"] {
            try FileManager.default.removeItem(atPath: folder.path(path))
        }
    }

    /// Writes a file of one line. Creates its parent folders if necessary.
    @discardableResult
    public func write(_ path: String, _ line: String) throws -> String {
        try makeFolder((path as NSString).deletingLastPathComponent)
        return try folder.write(path, line + "\n")
    }

    /// Creates a symbolic link, and its parent folders if necessary.
    public func link(_ path: String, to target: String) throws {
        try makeFolder((path as NSString).deletingLastPathComponent)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(path), withDestinationPath: target)
    }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: path), withIntermediateDirectories: true)
    }
}

#if os(Linux)
    /// A watch that detects when any process opens the watched files.
    public final class OpenWatch {
        private let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

        /// - Parameter paths: the files to watch, and the folders whose files to watch.
        public init(_ paths: [String]) {
            for path in paths {
                let watch = inotify_add_watch(descriptor, path, UInt32(IN_OPEN))
                precondition(watch >= 0, "\(path) cannot be watched")
            }
        }

        deinit { close(descriptor) }

        /// Returns true if a watched file has been opened since the last call.
        public func hasSeenOpen() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 4096)
            return read(descriptor, &bytes, bytes.count) > 0
        }
    }
#endif
