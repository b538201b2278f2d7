// PortSystem: the files in which the operating system describes serial ports and their users.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The folders in which the operating system shows serial ports and the processes that use them.
/// Tests have a tree of their own.
package struct PortSystem: Hashable, Sendable {
    /// Where the kernel describes devices.
    package var sysfs = "/sys"
    /// Where the files of devices are.
    package var devices = "/dev"
    /// Where the kernel describes processes and locks.
    package var processes = "/proc"
    /// Where minicom, cu and others leave lock files (UUCP).
    package var lockFolders = ["/var/lock", "/run/lock", "/var/spool/lock", "/var/spool/uucp"]

    package init() {}

    /// A tree of this shape below `root`.
    package init(root: String) {
        sysfs = root + sysfs
        devices = root + devices
        processes = root + processes
        lockFolders = ["\(root)/var/lock"]
    }
}

/// Small files and folders of the system.
enum SystemFile {
    /// The text of a file; empty if there is none that can be read.
    static func text(of path: String) -> String {
        // "e": a program that is started meanwhile does not get it.
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&portion, 1, portion.count, file), count > 0 {
            bytes += portion.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first line of a file; nil if there is none, or if it is empty.
    static func line(of path: String) -> String? {
        let line = text(of: path).prefix { $0 != "\n" }
        return line.isEmpty ? nil : String(line)
    }

    /// The names in a folder; nil, with `errno`, if it cannot be read.
    static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Where a link leads; nil if it is none, or may not be read.
    static func destination(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes {
            readlink(link, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// The status of a file, links followed; nil, with `errno`, if there is none.
    static func status(of path: String) -> stat? {
        var information = stat()
        return stat(path, &information) == 0 ? information : nil
    }
}
