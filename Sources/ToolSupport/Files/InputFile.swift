// InputFile: reads a file, a named pattern, or standard input.

import POSIX

/// The complete contents of a file.
package struct InputFile {
    /// The name to use in messages: the path, or "<stdin>".
    package let name: String
    /// The contents, which are never empty.
    package let bytes: [UInt8]

    /// The maximum size of a file, in bytes.
    static let sizeMax = 64 << 20
    private static let portion = 1 << 16

    /// Reads the file at `path`; "-" means standard input. If the file does not exist, `path` may
    /// be the name of a pattern. Throws `ToolError`.
    ///
    /// - Parameters:
    ///   - label: the name to use in messages; nil to use the path.
    ///   - mayBePipe: true if the file may be a pipe, because the user has named the file. The
    ///     initializer then waits until a program writes to the pipe. If the value is false, a pipe
    ///     is rejected.
    package init(
        _ path: String, calling label: String? = nil, mayBePipe: Bool = true
    ) throws(ToolError) {
        if let pattern = NamedPattern(path), access(path, F_OK) != 0 {
            (name, bytes) = (path, pattern.file)
            return
        }
        let isStandardInput = path == "-"
        name = isStandardInput ? Self.name(of: path) : label ?? path
        try Self.checkIsNoDevice(path, name)
        let flags = O_RDONLY | O_CLOEXEC | (mayBePipe ? 0 : O_NONBLOCK)
        let descriptor = isStandardInput ? Terminal.standardInput.descriptor : open(path, flags)
        guard descriptor >= 0 else { throw Self.cannotOpen(name, errno) }
        defer { if !isStandardInput { close(descriptor) } }
        try Self.checkKind(of: descriptor, name, mayBePipe)
        bytes = try Self.readAll(descriptor, name)
        guard !bytes.isEmpty else {
            throw ToolError(
                refused: name, "empty", advice: "use a file that is not empty")
        }
    }

    /// Returns the name of a file to use in messages.
    package static func name(of path: String) -> String { path == "-" ? "<stdin>" : path }

    /// True if the file is binary: its first 1,024 bytes contain a control character below U+0009.
    package var isBinary: Bool { bytes.prefix(1_024).contains { $0 < 0x09 } }

    private static func cannotOpen(_ path: String, _ code: Int32) -> ToolError {
        switch code {
        case ENOENT, ENOTDIR: noSuchFile(path)
        case EACCES, EPERM:
            ToolError(
                .noInput, "\(path): no permission to read the file",
                advice: "`ls -l` shows the owner of the file")
        default: ToolError(.noInput, "\(path): \(String(cString: strerror(code)))")
        }
    }

    /// Returns an error for a missing file, with a suggestion if the path resembles the name of a
    /// pattern.
    private static func noSuchFile(_ path: String) -> ToolError {
        var error = ToolError(.noInput, "\(path): no such file")
        if let near = suggestion(for: path, among: NamedPattern.names) {
            error.advice = [near, "`bridge patterns` lists the named patterns"]
        }
        return error
    }

    /// Throws an error if a path leads to a device. The device is not opened, because opening a
    /// port resets many boards, and reading from the port removes bytes that are intended for the
    /// program that uses it. A path of standard input, such as /dev/stdin, is accepted.
    private static func checkIsNoDevice(_ path: String, _ name: String) throws(ToolError) {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFCHR,
            !path.hasPrefix("/dev/fd/"), path != "/dev/stdin"
        else { return }
        throw ToolError(
            .noInput, "\(name): a device, not a file",
            advice: "to name the port of a board, use --port")
    }

    private static func checkKind(
        of descriptor: Int32, _ name: String, _ mayBePipe: Bool
    ) throws(ToolError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return }
        if information.st_mode & S_IFMT == S_IFDIR {
            throw ToolError(
                .noInput, "\(name): a directory, not a file",
                advice: "specify the files in the directory, for example \(name)/*.ahap")
        }
        if !mayBePipe, information.st_mode & S_IFMT != S_IFREG {
            throw ToolError(.noInput, "\(name): a pipe or a device, not a file")
        }
        if information.st_mode & S_IFMT == S_IFREG, information.st_size > sizeMax {
            throw tooLarge(name)
        }
    }

    private static func readAll(_ descriptor: Int32, _ name: String) throws(ToolError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: portion)
        while true {
            let count = read(descriptor, &buffer, portion)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw ToolError(.inputOutput, "\(name): \(String(cString: strerror(errno)))")
            }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
            guard bytes.count <= sizeMax else { throw tooLarge(name) }
        }
    }

    private static func tooLarge(_ name: String) -> ToolError {
        ToolError(
            refused: name, by: .tooLarge,
            "larger than \(sizeMax >> 20) MB, the maximum size of a file",
            advice: "use a smaller file")
    }
}
