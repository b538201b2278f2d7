// OutputFile: writes an output file through a temporary file where possible, so that a failure
// leaves the previous file unchanged.

import POSIX

/// Functions that write a file.
package enum OutputFile {
    /// Writes all bytes to `path`; "-" means standard output, unless it is a terminal.
    ///
    /// If the path is a symbolic link, the target of the link is written. An existing file keeps
    /// its mode and owner. After a failure, no temporary file remains, and the previous file is
    /// unchanged unless it was overwritten in place.
    package static func write(_ bytes: [UInt8], to path: String) throws(ToolError) {
        if path == "-" { return try writeToStandardOutput(bytes) }
        do throws(SystemError) {
            try Interruption.held { () throws(SystemError) in try save(bytes, to: path) }
        } catch {
            throw refusal(of: path, error)
        }
    }

    /// Checks that a file of `count` bytes can be written to `path`, without changing an existing
    /// file. Throws the error that ``write(_:to:)`` would throw.
    package static func checkIsWritable(_ path: String, _ count: Int) throws(ToolError) {
        if path == "-" { return try checkStandardOutput() }
        do throws(SystemError) {
            try Interruption.held { () throws(SystemError) in try rehearse(count, path) }
        } catch {
            throw refusal(of: path, error)
        }
    }

    private static func refusal(of path: String, _ error: SystemError) -> ToolError {
        ToolError(
            .cannotCreate, "\(path): cannot be written: \(error)",
            advice: "choose an existing folder that has enough space and to which you can write")
    }

    /// Creates a new file with all bytes. An existing file or link at the path is not changed.
    ///
    /// - Returns: true if the file was created; false if the path already exists.
    package static func make(_ path: String, with bytes: [UInt8]) throws(ToolError) -> Bool {
        do throws(SystemError) {
            try Interruption.held { () throws(SystemError) in
                let descriptor = try SystemError.check(
                    open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666))
                do throws(SystemError) {
                    try fill(descriptor, with: bytes)
                } catch {
                    unlink(path)
                    throw error
                }
            }
            return true
        } catch {
            if error.code == EEXIST { return false }
            throw ToolError(.cannotCreate, "\(path): cannot be written: \(error)")
        }
    }

    private static func writeToStandardOutput(_ bytes: [UInt8]) throws(ToolError) {
        try checkStandardOutput()
        try Terminal.standardOutput.write(bytes)
    }

    private static func checkStandardOutput() throws(ToolError) {
        guard !Terminal.standardOutput.isTerminal else {
            throw ToolError(
                .cannotCreate, "standard output is a terminal, which cannot show compiled bytes",
                advice: "write to a file with -o FILE, or show the events with `bridge dump`")
        }
    }

    private static func save(_ bytes: [UInt8], to path: String) throws(SystemError) {
        var old = stat()
        let isThere = stat(path, &old) == 0
        // Renaming a temporary file could replace a file that its owner has write-protected.
        if isThere { try SystemError.check(access(path, W_OK)) }
        if isThere, old.st_mode & S_IFMT != S_IFREG { return try overwrite(path, with: bytes) }
        let target = try target(of: path)
        if try replace(target, isThere ? old : nil, with: bytes) { return }
        try overwrite(target, with: bytes)
    }

    /// Writes a temporary file of `count` bytes in the folder of the destination, and removes it
    /// again.
    private static func rehearse(_ count: Int, _ path: String) throws(SystemError) {
        var old = stat()
        if stat(path, &old) == 0 {
            try SystemError.check(access(path, W_OK))
            guard old.st_mode & S_IFMT != S_IFDIR else { throw SystemError(code: EISDIR) }
            guard old.st_mode & S_IFMT == S_IFREG else { return }
        }
        let draft = try draft(for: try target(of: path), mode: 0o600)
        defer { unlink(draft.path) }
        try fill(draft.descriptor, with: [UInt8](repeating: 0, count: count))
    }

    /// Creates a temporary file in the folder of the destination.
    private static func draft(
        for path: String, mode: mode_t
    ) throws(SystemError) -> (path: String, descriptor: Int32) {
        let draft = folder(of: path) + ".bridge-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        // A file or link that another user has created under this name causes an error and is not
        // followed.
        let descriptor = try SystemError.check(
            open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode))
        return (draft, descriptor)
    }

    /// Writes a temporary file in the same folder and renames it to the destination. Returns false
    /// if the temporary file cannot be given the owner and group of the existing file.
    private static func replace(
        _ path: String, _ old: stat?, with bytes: [UInt8]
    ) throws(SystemError) -> Bool {
        let (draft, descriptor) = try draft(for: path, mode: old == nil ? 0o666 : 0o600)
        var isMoved = false
        defer { if !isMoved { unlink(draft) } }
        if let old {
            guard fchown(descriptor, old.st_uid, old.st_gid) == 0,
                fchmod(descriptor, old.st_mode & 0o7777) == 0
            else {
                close(descriptor)
                return false
            }
        }
        try fill(descriptor, with: bytes)
        try SystemError.check(rename(draft, path))
        isMoved = true
        return true
    }

    /// Overwrites an existing device, a pipe, or a file of another user, who remains the owner.
    private static func overwrite(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        try fill(SystemError.check(open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)), with: bytes)
    }

    /// Writes all bytes and closes the file. Some errors, such as lack of space, are reported only
    /// on closing.
    private static func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try write(bytes, to: descriptor)
            // Pipes and devices do not support fsync(2).
            if fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP, errno != EROFS {
                throw SystemError(code: errno)
            }
        } catch {
            close(descriptor)
            throw error
        }
        try SystemError.check(close(descriptor))
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw SystemError(code: errno)
            }
        }
    }

    // MARK: Paths

    /// Returns the path at the end of a chain of symbolic links, even if no file exists there.
    private static func target(of path: String) throws(SystemError) -> String {
        var target = path
        for _ in 0..<linksMax {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(target, &buffer, buffer.count)
            guard count > 0 else { return target }
            let next = String(
                decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            target = next.hasPrefix("/") ? next : folder(of: target) + next
        }
        throw SystemError(code: ELOOP)
    }

    /// The maximum number of links to follow, as on Linux.
    private static let linksMax = 40

    /// Returns a path up to and including its last slash; empty if it has no slash.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}

/// The error code of a failed system call.
private struct SystemError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { String(cString: strerror(code)) }

    /// Returns the result of a system call. Throws `SystemError` if the result is negative.
    @discardableResult
    static func check(_ result: Int32) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(code: errno) }
        return result
    }
}
