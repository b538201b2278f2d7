// BootDrive: a board whose boot loader appears as a drive, to which firmware is copied as a UF2
// file.

import POSIX

/// The mounted drive of a boot loader, which describes the board in `INFO_UF2.TXT`.
package struct BootDrive: Hashable, Sendable {
    /// The folder at which the drive is mounted, for example "/media/maria/RPI-RP2".
    package var path: String
    /// The name that the boot loader uses for the board, for example "RPI-RP2".
    package var boardID: String

    /// Reads the description on the drive at `path`; nil if the drive does not belong to a boot
    /// loader.
    package init?(path: String) {
        let text = SystemFile.text(of: "\(path)/INFO_UF2.TXT", limit: Self.sizeMax)
        let lines = text.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix(Self.key) }) else { return nil }
        self.path = path
        let name = line.dropFirst(Self.key.count).drop { $0 == " " }
        boardID = String(name.filter { (" "..."~").contains($0) }.prefix(Self.nameMax))
    }

    private static let key = "Board-ID:"
    /// The maximum number of bytes that are read from `INFO_UF2.TXT`. Genuine files have fewer than
    /// 1,000 bytes.
    private static let sizeMax = 4_096
    /// The maximum length of a board's name. Only printable characters are kept, because the name
    /// is displayed on terminals, and any drive may contain such a file.
    private static let nameMax = 64

    /// Returns the mounted drives of boot loaders, sorted by path.
    package static func mounted(in system: PortSystem = PortSystem()) -> [BootDrive] {
        mountPoints(in: system).sorted().compactMap { BootDrive(path: $0) }
    }
}

#if os(Linux)
    extension BootDrive {
        /// The USB vendor id of the boot loaders (Raspberry Pi), and their product ids for the
        /// RP2040 and the RP2350.
        private static let usb: (vendor: UInt16, products: Set<UInt16>) = (0x2E8A, [0x03, 0x0F])

        /// Returns the lines of the system's list of mounts. Each line contains the device, the
        /// folder and the type of the file system.
        private static func mounts(in system: PortSystem) -> [[String]] {
            SystemFile.text(of: "\(system.processes)/mounts").split(separator: "\n").map { line in
                line.split(separator: " ").prefix(3).map { unescaped(String($0)) }
            }.filter { $0.count == 3 }
        }

        /// Returns the folders in which FAT drives are mounted. Other file systems are not
        /// accessed, because they may belong to a server that does not respond.
        private static func mountPoints(in system: PortSystem) -> [String] {
            mounts(in: system).filter { ["vfat", "msdos"].contains($0[2]) }.map { $0[1] }
        }

        /// Returns the text after replacing the kernel's octal escape sequences, such as "\\040",
        /// with the characters that they represent.
        private static func unescaped(_ text: String) -> String {
            text.replacing(/\\([0-7]{3})/) { match in
                String(Character(UnicodeScalar(UInt8(match.1, radix: 8) ?? 0)))
            }
        }

        /// Returns the device files of boot loader drives that are not mounted, sorted by path.
        package static func unmounted(in system: PortSystem = PortSystem()) -> [String] {
            let folder = "\(system.sysfs)/class/block"
            let names = (SystemFile.names(in: folder) ?? []).filter { name in
                guard let device = realPath(of: "\(folder)/\(name)"),
                    let found = PortList.usb(above: device)?.usb
                else { return false }
                return found.vendor == usb.vendor && usb.products.contains(found.product)
            }
            let mounted = Set(mounts(in: system).map { $0[0] })
            let parts = names.filter { SystemFile.text(of: "\(folder)/\($0)/partition") != "" }
            // The device file of the whole drive is returned only if the drive has no partitions.
            return (parts.isEmpty ? names : parts).map { "\(system.devices)/\($0)" }
                .filter { !mounted.contains($0) }.sorted()
        }
    }
#else
    extension BootDrive {
        private static func mountPoints(in system: PortSystem) -> [String] {
            (SystemFile.names(in: system.volumes) ?? []).map { "\(system.volumes)/\($0)" }
        }

        /// Returns an empty list, because macOS mounts all drives.
        package static func unmounted(in system: PortSystem = PortSystem()) -> [String] { [] }
    }
#endif
