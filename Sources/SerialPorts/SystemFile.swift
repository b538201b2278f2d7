// SystemFile: access to small files and folders of the operating system.

import POSIX

/// Functions that read small files and folders of the operating system.
package enum SystemFile {
    /// Returns the text of a file; an empty string if the file cannot be read.
    static func text(of path: String, limit: Int = .max) -> String {
        String(decoding: bytes(of: path, limit: limit) ?? [], as: UTF8.self)
    }

    /// Returns the bytes of a file; nil if the file cannot be read. Pipes are rejected, because
    /// reading from a pipe could block forever.
    ///
    /// - Parameter limit: the maximum number of bytes to read, rounded up to a multiple of 4,096.
    package static func bytes(of path: String, limit: Int = .max) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, let file = fdopen(descriptor, "r")
        else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit, case let count = fread(&portion, 1, portion.count, file),
            count > 0
        {
            bytes += portion.prefix(count)
        }
        return bytes
    }

    /// Returns the first line of a file; nil if the file cannot be read or the line is empty.
    static func line(of path: String) -> String? {
        let line = text(of: path).prefix { $0 != "\n" }
        return line.isEmpty ? nil : String(line)
    }

    /// Returns the names of the entries in a folder. If the folder cannot be read, sets `errno` and
    /// returns nil.
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

    /// Returns the path to which a symbolic link leads; nil if the path is not a link or cannot be
    /// read.
    static func destination(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes {
            readlink(link, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// Returns the status of a file, following symbolic links. If the file does not exist, sets
    /// `errno` and returns nil.
    static func status(of path: String) -> stat? {
        var information = stat()
        return stat(path, &information) == 0 ? information : nil
    }
}
