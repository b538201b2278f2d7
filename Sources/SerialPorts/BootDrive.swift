// BootDrive: a board whose boot loader is a drive, to which firmware is copied as a UF2 file.

import POSIX

/// A mounted drive of a boot loader, which describes itself in `INFO_UF2.TXT`.
package struct BootDrive: Hashable, Sendable {
    /// The folder at which the drive is mounted, for example "/media/maria/RPI-RP2".
    package var path: String
    /// The boot loader's name for the board, for example "RPI-RP2".
    package var boardID: String

    /// Reads the description of the drive at `path`; nil if it is not a boot loader's drive.
    package init?(path: String) {
        let text = SystemFile.text(of: "\(path)/INFO_UF2.TXT", limit: Self.sizeMax)
        let lines = text.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix(Self.key) }) else { return nil }
        self.path = path
        let name = line.dropFirst(Self.key.count).drop { $0 == " " }
        boardID = String(name.filter { (" "..."~").contains($0) }.prefix(Self.nameMax))
    }

    private static let key = "Board-ID:"
    /// The maximum number of bytes of `INFO_UF2.TXT` that are read. Genuine files have fewer than
    /// 1,000 bytes.
    private static let sizeMax = 4_096
    /// The maximum length of a board's name. Only printable characters are kept, because the name
    /// is shown on terminals and any drive can contain such a file.
    private static let nameMax = 64

    /// Returns the mounted drives of boot loaders, sorted by path.
    package static func mounted(in system: PortSystem = PortSystem()) -> [BootDrive] {
        mountPoints(in: system).sorted().compactMap { BootDrive(path: $0) }
    }
}

#if os(Linux)
    extension BootDrive {
        /// The USB vendor id of boot loaders (Raspberry Pi), and the product ids of RP2040 and
        /// RP2350.
        private static let usb: (vendor: UInt16, products: Set<UInt16>) = (0x2E8A, [0x03, 0x0F])

        /// Returns the lines of the list of mounts, each with the device, the folder and the type
        /// of the file system.
        private static func mounts(in system: PortSystem) -> [[String]] {
            SystemFile.text(of: "\(system.processes)/mounts").split(separator: "\n").map { line in
                line.split(separator: " ").prefix(3).map { unescaped(String($0)) }
            }.filter { $0.count == 3 }
        }

        /// Returns the folders of FAT drives. Other file systems are not accessed, because they may
        /// be on a server that does not answer.
        private static func mountPoints(in system: PortSystem) -> [String] {
            mounts(in: system).filter { ["vfat", "msdos"].contains($0[2]) }.map { $0[1] }
        }

        /// Returns the text with octal escapes of the kernel, such as "\\040", replaced by their
        /// characters.
        private static func unescaped(_ text: String) -> String {
            text.replacing(/\\([0-7]{3})/) { match in
                String(Character(UnicodeScalar(UInt8(match.1, radix: 8) ?? 0)))
            }
        }

        /// Returns the device files of boot loaders' drives that are not mounted, sorted by path.
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
            // The whole drive counts only if it has no partitions.
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
