// PortList on Linux: the terminals that the kernel describes. No port is opened, not even a
// built-in port.

#if os(Linux)
    import POSIX

    extension PortList {
        /// Returns the paths of the terminals that may be serial ports.
        static func paths(in system: PortSystem) throws(TransportError) -> [String] {
            let folder = classFolder(in: system)
            guard let names = SystemFile.names(in: folder) else {
                throw .failed(path: folder, operation: "listing ports", code: errno)
            }
            return names.map { "\(system.devices)/\($0)" }
        }

        /// Returns the port at the given path; nil if no serial port has the path.
        static func describe(
            _ path: String, in system: PortSystem, access: (String) -> PortDescription.Access
        ) -> PortDescription? {
            let name = String(path.dropFirst(system.devices.count + 1))
            let folder = "\(classFolder(in: system))/\(name)"
            // Consoles and pseudo-terminals have no device. If the kernel has not found a built-in
            // port, its type is 0.
            guard let device = realPath(of: "\(folder)/device"),
                SystemFile.line(of: "\(folder)/type") != "0",
                SystemFile.status(of: path) != nil
            else { return nil }
            let found = usb(above: device)
            return PortDescription(
                path: path, description: found?.product ?? name, usb: found?.usb,
                known: found.flatMap {
                    KnownDevice(vendor: $0.usb.vendor, product: $0.usb.product)
                }, access: access(path), location: location(of: found?.folder ?? device))
        }

        private static func classFolder(in system: PortSystem) -> String {
            "\(system.sysfs)/class/tty"
        }

        /// The descriptors of the USB device, its product name, and the folder of the interface to
        /// which the port belongs.
        typealias Found = (usb: PortDescription.USB, product: String?, folder: String)

        /// Returns the USB device to which a port or a drive belongs. The folder of the USB device
        /// contains that of the port.
        static func usb(above device: String) -> Found? {
            var parts = device.split(separator: "/")
            var interface: (number: String, folder: String)?
            while !parts.isEmpty {
                let folder = "/" + parts.joined(separator: "/")
                if interface == nil, let number = SystemFile.line(of: "\(folder)/bInterfaceNumber")
                {
                    interface = (number, folder)
                }
                if let vendor = number(in: "\(folder)/idVendor"),
                    let product = number(in: "\(folder)/idProduct")
                {
                    let usb = PortDescription.USB(
                        vendor: vendor, product: product,
                        serialNumber: SystemFile.line(of: "\(folder)/serial"),
                        manufacturer: SystemFile.line(of: "\(folder)/manufacturer"),
                        interface: interface?.number)
                    let text = SystemFile.line(of: "\(folder)/product")
                    return (usb, text, interface?.folder ?? folder)
                }
                parts.removeLast()
            }
            return nil
        }

        /// Returns the USB devices of the given vendors that have no serial port, because no driver
        /// has made one or because a program has detached the driver.
        package static func devicesWithoutPort(
            ofVendors vendors: Set<UInt16>, in system: PortSystem = PortSystem()
        ) -> [PortDescription.USB] {
            let folder = "\(system.sysfs)/bus/usb/devices"
            return (SystemFile.names(in: folder) ?? []).sorted().compactMap { name in
                let device = "\(folder)/\(name)"
                guard let vendor = number(in: "\(device)/idVendor"), vendors.contains(vendor),
                    !hasPort(device)
                else { return nil }
                return realPath(of: device).flatMap(usb(above:))?.usb
            }
        }

        /// Returns whether an interface of a USB device has a terminal: a folder such as
        /// `1-1:1.0/ttyUSB0` or `1-1:1.0/tty`.
        private static func hasPort(_ device: String) -> Bool {
            (SystemFile.names(in: device) ?? []).filter { $0.contains(":") }.contains { interface in
                (SystemFile.names(in: "\(device)/\(interface)") ?? []).contains {
                    $0.hasPrefix("tty")
                }
            }
        }

        /// Returns the number that a file of a USB device contains in hexadecimal.
        private static func number(in file: String) -> UInt16? {
            SystemFile.line(of: file).flatMap { UInt16($0, radix: 16) }
        }

        /// Returns the path of a folder relative to the folder of all devices, for example
        /// "pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0".
        private static func location(of folder: String) -> String {
            let parts = folder.split(separator: "/")
            let start = parts.firstIndex(of: "devices").map { $0 + 1 } ?? 0
            return parts[start...].joined(separator: "/")
        }
    }
#endif
