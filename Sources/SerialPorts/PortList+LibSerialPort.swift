// PortList on systems other than Linux: the ports that libserialport lists.

#if !os(Linux)
    import CSerialPort

    extension PortList {
        /// Returns the paths of the serial ports.
        static func paths(in system: PortSystem) throws(TransportError) -> [String] {
            var list: UnsafeMutablePointer<OpaquePointer?>?
            guard sp_list_ports(&list) == SP_OK, let list else {
                throw .failed(
                    path: system.devices, operation: "listing ports", code: sp_last_error_code())
            }
            defer { sp_free_port_list(list) }
            return sequence(first: list) { $0 + 1 }
                .prefix { $0.pointee != nil }
                .compactMap { text(sp_get_port_name($0.pointee!)) }
        }

        /// Returns the port at the given path; nil if no serial port has the path.
        static func describe(
            _ path: String, in system: PortSystem, access: (String) -> PortDescription.Access
        ) -> PortDescription? {
            var port: OpaquePointer?
            guard sp_get_port_by_name(path, &port) == SP_OK, let port else { return nil }
            defer { sp_free_port(port) }
            let usb = usb(of: port)
            // If the device has no serial number, the system derives the file name from the USB
            // socket.
            return PortDescription(
                path: path, description: text(sp_get_port_description(port)) ?? path, usb: usb,
                known: usb.flatMap { KnownDevice(vendor: $0.vendor, product: $0.product) },
                access: access(path), location: path)
        }

        /// Returns an empty list, because libserialport lists only serial ports.
        package static func devicesWithoutPort(
            ofVendors vendors: Set<UInt16>, in system: PortSystem = PortSystem()
        ) -> [PortDescription.USB] { [] }

        private static func usb(of port: OpaquePointer) -> PortDescription.USB? {
            var vendor: Int32 = 0
            var product: Int32 = 0
            guard sp_get_port_usb_vid_pid(port, &vendor, &product) == SP_OK else { return nil }
            return PortDescription.USB(
                vendor: UInt16(truncatingIfNeeded: vendor),
                product: UInt16(truncatingIfNeeded: product),
                serialNumber: text(sp_get_port_usb_serial(port)),
                manufacturer: text(sp_get_port_usb_manufacturer(port)))
        }

        private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
            pointer.map { String(cString: $0) }
        }
    }
#endif
