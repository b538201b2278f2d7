// PortLock: who holds a port, without opening it.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The lock that programs take on a port's file, as the system lists it.
enum PortLock {
    /// The program that has locked `path`, for example "avrdude (process 4711)"; nil if nobody has, or
    /// if the system does not tell. Only Linux tells.
    static func holder(of path: String) -> String? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        // "1: FLOCK  ADVISORY  WRITE 4711 00:06:123 0 EOF", the last number of the file being its inode.
        for line in text(of: "/proc/locks").split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[1] == "FLOCK", fields[4] != "-1",
                fields[5].split(separator: ":").last == "\(information.st_ino)"
            else { continue }
            return programName(of: fields[4])
        }
        return nil
    }

    private static func programName(of process: Substring) -> String {
        if process == "\(getpid())" { return "this program itself" }
        let name = text(of: "/proc/\(process)/comm").prefix { $0 != "\n" }
        return name.isEmpty ? "process \(process)" : "\(name) (process \(process))"
    }

    /// The text of a small file of the system; empty if there is none.
    private static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&portion, 1, portion.count, file), count > 0 {
            bytes += portion.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
